import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openKernel } from "./kernel.ts";

const PAGE = 65_536;

it("grows seldom, because each growth replaces its buffer, and never beyond its maximum", () => {
  const module = new WebAssembly.Module(readFileSync(new URL("./scan.wasm", import.meta.url)));
  const kernel = openKernel(module, PAGE);
  if (!kernel) throw new Error("this machine has no memory");
  const buffers = new Set<ArrayBuffer>();
  for (let pages = 2; pages <= 1_024; pages += 1) {
    expect(kernel.reserve(pages * PAGE)).toBe(true);
    buffers.add(kernel.memory.buffer);
  }
  expect(buffers.size).toBeLessThan(200);
  expect(kernel.reserve(2 ** 30 - PAGE)).toBe(true);
  expect(kernel.reserve(2 ** 30)).toBe(true);
  expect(kernel.reserve(2 ** 30 + 1)).toBe(false);
});
