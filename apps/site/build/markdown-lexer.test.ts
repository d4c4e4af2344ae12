import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Lexer } from "marked";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { lexerOf } from "./markdown-lexer.mjs";

const code = readFileSync(fileURLToPath(import.meta.resolve("marked")), "utf8");

it("reduces marked to a lexer that finds the same tokens", async () => {
  const reduced = lexerOf(code, parseSync("marked.js", code).program) ?? "";
  expect(reduced.length).toBeLessThan(0.85 * code.length);
  const module: { Lexer: typeof Lexer } = await import(`data:text/javascript,${encodeURIComponent(reduced)}`);
  const text =
    "# Plan\n\n- [x] *sow* `beans`\n- water\n\n| a | b |\n|---|--:|\n| 1 | [2](https://example.org) |\n\n> so\n";
  expect(new module.Lexer({ gfm: true }).lex(text)).toEqual(new Lexer({ gfm: true }).lex(text));
});

it("finds no lexer in a module without one", () => {
  expect(lexerOf("export const a = 1;", parseSync("a.js", "export const a = 1;").program)).toBeUndefined();
});
