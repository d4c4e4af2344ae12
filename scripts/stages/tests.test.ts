import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFiles } from "./tests.mjs";

const memory = "/dev/shm";

it.runIf(existsSync(memory))(
  "puts temporary files into memory, or where memory is scarce leaves them",
  () => {
    const { TMPDIR: folder } = temporaryFiles(memory, {});
    if (folder === undefined) return;
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(dirname(folder)).toBe(memory);
  },
);

it("keeps a folder that was chosen, and needs no disk in memory", () => {
  expect(temporaryFiles(memory, { TMPDIR: tmpdir() })).toEqual({});
  const absent = join(mkdtempSync(join(tmpdir(), "no-memory-")), "absent");
  onTestFinished(() => rmSync(dirname(absent), { recursive: true }));
  expect(temporaryFiles(absent, {})).toEqual({});
});
