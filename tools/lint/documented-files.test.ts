import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** A path of a source file in backticks: `loop/run-loop.ts`, `loop/{run-loop,end-run}.ts`. */
const NAMED_FILE = /`([\w@./-]*)(?:\{([\w,/-]+)\})?([\w./-]*\.(?:ts|mjs|svelte))`/gu;

const files = globSync(["{apps,brain,packages,scripts,tests,tools}/**/*.{ts,mjs,svelte}", "*.{ts,mjs}"], {
  cwd: root,
  exclude: ["**/node_modules", "**/dist"],
}).map((path) => `/${path.replaceAll("\\", "/")}`);

describe("the documentation", () => {
  it.each(globSync(["*.md", "docs/**/*.md"], { cwd: root }))("names only existing files in %s", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const named = [...text.matchAll(NAMED_FILE)].flatMap(([, before = "", names = "", after = ""]) =>
      names.split(",").map((name) => `${before}${name}${after}`),
    );
    const paths = named.filter((name) => /[^/]\/[^/]/u.test(name));
    const missing = paths.filter((name) => !files.some((path) => path.endsWith(`/${name}`)));
    expect(missing).toEqual([]);
  });
});
