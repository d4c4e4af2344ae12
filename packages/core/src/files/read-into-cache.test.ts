import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readIntoCache } from "./read-into-cache.ts";

const SIZE = 3 * 2 ** 20 + 17;
const { signal } = new AbortController();

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "metahuman-cache-"));
  file = join(folder, "index.db");
  await writeFile(file, Buffer.alloc(SIZE));
});
afterEach(() => rm(folder, { recursive: true }));

it("reads a file to its end", async () => {
  expect(await readIntoCache(file, { signal })).toBe(SIZE);
});

it("reads no file that is smaller or larger than wanted, missing or empty", async () => {
  expect(await readIntoCache(file, { signal, minBytes: SIZE, maxBytes: SIZE })).toBe(SIZE);
  expect(await readIntoCache(file, { signal, minBytes: SIZE + 1 })).toBe(0);
  expect(await readIntoCache(file, { signal, maxBytes: SIZE - 1 })).toBe(0);
  expect(await readIntoCache(join(folder, "missing.db"), { signal })).toBe(0);
  await writeFile(file, "");
  expect(await readIntoCache(file, { signal })).toBe(0);
});

it("ends when it is aborted", async () => {
  const controller = new AbortController();
  const reading = readIntoCache(file, { signal: controller.signal });
  controller.abort();
  expect(await reading).toBeLessThan(SIZE);
});

it("throws what the system says if the file cannot be read", async () => {
  await expect(readIntoCache(folder, { signal })).rejects.toThrow("EISDIR");
});
