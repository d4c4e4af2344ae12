import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { fileStamp, hashOf, readStamped } from "./file-content.ts";

const Note = z.strictObject({ text: z.string() });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-content-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("reads a record with the hash of its bytes and the stamp of the file", () => {
  const path = join(folder, "note.json");
  const note = { text: "é".repeat(100_000) };
  const text = JSON.stringify(note);
  writeFileSync(path, text);
  expect(readStamped(path, Note)).toEqual({
    stamp: fileStamp(path),
    content: { value: note, hash: hashOf(text) },
  });
});

it("tells a missing file from one that cannot be read, and from one that is no record", () => {
  expect(readStamped(join(folder, "missing.json"), Note).content).toBeUndefined();
  expect(readStamped(folder, Note).content).toEqual({ reason: expect.stringContaining("cannot be read") });
  const path = join(folder, "note.json");
  writeFileSync(path, "");
  expect(readStamped(path, Note)).toMatchObject({
    stamp: fileStamp(path),
    content: { reason: expect.stringContaining("not valid JSON") },
  });
});

it("gives the reason as the stamp of a file that cannot be opened", () => {
  const path = join(folder, "note.json");
  writeFileSync(path, "{}");
  expect(readStamped(join(path, "inside.json"), Note)).toEqual({
    stamp: "ENOTDIR",
    content: { reason: "cannot be read (ENOTDIR)" },
  });
});
