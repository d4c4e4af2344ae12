import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { compileScan, SCAN_WASM } from "./compile-scan.ts";

it("finds the compiled scan to be what its source says, byte by byte", async () => {
  const kept = await readFile(SCAN_WASM);
  expect(kept.equals(await compileScan())).toBe(true);
});
