import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { countFiles, countSvelteChecked } from "./static.mjs";

it("reads how many files svelte-check looked at", () => {
  expect(
    countSvelteChecked('17 START "/x"\n17 COMPLETED 628 FILES 0 ERRORS 1 WARNINGS 1 FILES_WITH_PROBLEMS\n'),
  ).toBe(628);
});

it("treats missing output as no checked file", () => {
  expect(countSvelteChecked("")).toBe(0);
});

it("counts files by their ending in all folders below", () => {
  const folder = mkdtempSync(join(tmpdir(), "count-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "deep/er.astro"), { recursive: true });
  for (const name of ["a.astro", "b.svelte", "deep/c.astro", "deep/er.astro/d.astro"])
    writeFileSync(join(folder, name), "");
  expect(countFiles(folder, ".astro")).toBe(3);
  expect(countFiles(join(folder, "absent"), ".astro")).toBe(0);
});
