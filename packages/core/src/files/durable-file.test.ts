import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileStamp } from "./file-content.ts";
import { createFile, replaceFile } from "./durable-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "metahuman-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

it.each([
  ["short", "walnut"],
  ["long", "walnut ".repeat(40_000)],
])(
  "creates a %s file in a new folder, and calls back when it has its name and last stamp",
  async (_, text) => {
    const path = join(folder, "2026", "walnut.json");
    const seen: { text: string; stamp: string }[] = [];
    await createFile(path, text, "the memory", async () => {
      const stamp = fileStamp(path);
      seen.push({ text: await readFile(path, "utf8"), stamp });
    });
    expect(seen).toEqual([{ text, stamp: fileStamp(path) }]);
    expect(await readdir(join(folder, "2026"))).toEqual(["walnut.json"]);
  },
);

it("calls back for no file whose name is taken, and leaves that file and nothing else", async () => {
  const path = join(folder, "walnut.json");
  await createFile(path, "first", "the memory");
  let calls = 0;
  const second = createFile(path, "second", "the memory", async () => void (calls += 1));
  await expect(second).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  expect(calls).toBe(0);
  expect(await readFile(path, "utf8")).toBe("first");
  await replaceFile(path, "third", "the memory");
  expect(await readFile(path, "utf8")).toBe("third");
  expect(await readdir(folder)).toEqual(["walnut.json"]);
});
