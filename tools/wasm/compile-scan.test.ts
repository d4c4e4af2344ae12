import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { compileScan, SCAN_WASM } from "./compile-scan.ts";

it("compiles the source to the stored kernel, byte by byte", async () => {
  const kept = await readFile(SCAN_WASM);
  expect(kept.equals(await compileScan())).toBe(true);
});
