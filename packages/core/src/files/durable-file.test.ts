import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
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
    await createFile(path, text, "the memory", {
      onNamed: async () => {
        const stamp = fileStamp(path);
        seen.push({ text: await readFile(path, "utf8"), stamp });
      },
    });
    expect(seen).toEqual([{ text, stamp: fileStamp(path) }]);
    expect(await readdir(join(folder, "2026"))).toEqual(["walnut.json"]);
  },
);

it("calls back for no file whose name is taken, and leaves that file and nothing else", async () => {
  const path = join(folder, "walnut.json");
  await createFile(path, "first", "the memory");
  let calls = 0;
  const second = createFile(path, "second", "the memory", { onNamed: async () => void (calls += 1) });
  await expect(second).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  expect(calls).toBe(0);
  expect(await readFile(path, "utf8")).toBe("first");
  await replaceFile(path, "third", "the memory");
  expect(await readFile(path, "utf8")).toBe("third");
  expect(await readdir(folder)).toEqual(["walnut.json"]);
});

it("gives a file its mode before its name, so that nobody else ever reads it", async () => {
  const path = join(folder, "key.json");
  let modeWhenNamed = 0;
  await createFile(path, "secret", "the key", {
    mode: 0o600,
    onNamed: async () => void (modeWhenNamed = (await stat(path)).mode & 0o777),
  });
  expect(modeWhenNamed).toBe(0o600);
  await replaceFile(path, "other", "the key", { mode: 0o600 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
