import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loneExports } from "./lone-exports.js";

const root = join(import.meta.dirname, "..", "..");
const folders = "{apps,brain,packages,scripts,tests,tools}";

it("finds a value that only its own file names", () => {
  const files = new Map([
    ["a.ts", "export const shared = 1;\nexport async function* alone() {\n  yield shared;\n}\n"],
    ["b.ts", 'import { shared } from "./a.ts";\nexport class Alone {}\nconst inner = shared;\n'],
  ]);
  expect(loneExports(files)).toEqual(["a.ts: alone", "b.ts: Alone"]);
});

it("leaves a schema beside its type", () => {
  const text = "export const Task = z.strictObject({});\nexport type Task = z.infer<typeof Task>;\n";
  expect(loneExports(new Map([["task.ts", text]]))).toEqual([]);
});

it("finds none in this repository", () => {
  const paths = globSync([`${folders}/**/*.{ts,js,mjs,svelte,astro}`, "*.{ts,js,mjs}"], {
    cwd: root,
    exclude: (name) => name === "node_modules" || name === "dist",
  });
  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  expect(files.size).toBeGreaterThan(1_000);
  expect(loneExports(files)).toEqual([]);
});
