import { convertToTsx } from "@astrojs/astro2tsx";

/**
 * A page as TypeScript understands it, or an error that says what it would not see of it.
 * @param name the page's file, which names the component
 */
export function pageAsTsx(name: string, source: string): string {
  const { code, diagnostics, scripts } = convertToTsx(source, { filename: name, ambientTypes: true });
  const [problem] = diagnostics;
  if (problem) throw new Error(`${name}: ${problem.message}`);
  if (scripts.length > 0) throw new Error(`${name}: a script has types only in a module of its own.`);
  return code;
}
