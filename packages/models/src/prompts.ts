import { readFileSync } from "node:fs";

export type PromptVariables = Readonly<Record<string, string>>;

/**
 * Opens the Markdown prompts of a folder, each read once. Fills a prompt's `{{variables}}`; a variable
 * without a value becomes empty.
 */
export function openPrompts<Name extends string>(folder: URL, names: readonly Name[]) {
  const read = new Map<Name, () => string>(
    names.map((name) => {
      let text: string | undefined;
      return [name, () => (text ??= readFileSync(new URL(`${name}.md`, folder), "utf8").trim())];
    }),
  );
  return (name: Name, variables: PromptVariables = {}): string =>
    (read.get(name)?.() ?? "")
      .replaceAll(/\{\{(\w+)\}\}/gu, (_, variable: string) => variables[variable] ?? "")
      .trim();
}
