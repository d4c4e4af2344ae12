import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { minifiedScript } from "./minified-scripts.mjs";

it("halves the script that stands in every page, and keeps what it does", async () => {
  const path = join(import.meta.dirname, "../src/layouts/early-input.js");
  const code = await minifiedScript(path);
  expect(code.length).toBeLessThan((await readFile(path, "utf8")).length / 2);
  expect(code).toContain("astro-island[ssr], [data-unhydrated]");
  expect(code).not.toContain("//");
});

it("rejects a script that is not JavaScript", async () => {
  const folder = await mkdtemp(join(tmpdir(), "minified-"));
  const path = join(folder, "broken.js");
  await writeFile(path, "const = 1;");
  await expect(minifiedScript(path)).rejects.toThrow("cannot be minified");
  await rm(folder, { recursive: true });
});
