import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const style = readFileSync(join(root, "docs/style.md"), "utf8");

/**
 * An excerpt follows a sentence that ends with the path of its file; a line `// …` replaces lines that are left out.
 */
const EXCERPT = /\(`([^`]+\.ts)`\):\n\n```ts\n([\s\S]*?)```/gu;
const excerpts = Array.from(style.matchAll(EXCERPT), ([, path = "", code = ""]) => ({ path, code }));

it("finds the three excerpts of the style guide", () => {
  expect(excerpts).toHaveLength(3);
});

it.each(excerpts)("quotes $path unchanged", ({ path, code }) => {
  const source = readFileSync(join(root, path), "utf8");
  let from = 0;
  for (const part of code.split(/^\s*\/\/ ….*\n/mu)) {
    const index = source.indexOf(part, from);
    expect(index, `not in ${path}:\n${part}`).toBeGreaterThanOrEqual(0);
    from = index + part.length;
  }
});
