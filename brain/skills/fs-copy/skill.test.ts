import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsCopy } from "./skill.ts";

const harness = skillHarness();
const inOut = (path: string) => join(harness.folder("out"), path);

describe("fs_copy", () => {
  beforeEach(async () => {
    await writeFile(inOut("a.md"), "new text\n");
  });

  it("copies a file at low risk within out/, byte for byte, and leaves the original", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await writeFile(inOut("a.bin"), bytes);
    const { assessment, outputs, narrative } = await harness.call(fsCopy, { from: "a.bin", to: "old/b.bin" });
    expect(assessment).toMatchObject({
      risk: "low",
      overwrites: false,
      paths: ["out/a.bin", "out/old/b.bin"],
      preview: {
        title: "Copy out/a.bin to out/old/b.bin?",
        facts: [
          { label: "from", value: "out/a.bin" },
          { label: "to", value: "out/old/b.bin" },
          { label: "size", value: "256 bytes" },
        ],
      },
    });
    expect(outputs).toEqual({ from: "out/a.bin", to: "out/old/b.bin", bytes: 256 });
    expect(narrative).toBe("Copied out/a.bin to out/old/b.bin.");
    expect(await harness.read("out/old/b.bin")).toBe(await harness.read("out/a.bin"));
  });

  it("copies into a folder under the same name", async () => {
    expect((await harness.call(fsCopy, { from: "a.md", to: "new/" })).outputs).toMatchObject({
      to: "out/new/a.md",
    });
    await mkdir(inOut("there"));
    expect((await harness.call(fsCopy, { from: "a.md", to: "there" })).outputs).toMatchObject({
      to: "out/there/a.md",
    });
  });

  it("replaces a file only with overwrite, shows the difference, and archives the old text", async () => {
    await writeFile(inOut("b.md"), "old text\n");
    await expect(harness.call(fsCopy, { from: "a.md", to: "b.md" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: ["out/b-2.md"],
      context: { instead: [{ overwrite: true }] },
    });
    expect(await harness.read("out/b.md")).toBe("old text\n");
    const args = { from: "a.md", to: "b.md", overwrite: true };
    const { assessment, outputs, narrative } = await harness.call(fsCopy, args);
    expect(assessment).toMatchObject({
      risk: "high",
      overwrites: true,
      preview: {
        title: "Overwrite out/b.md with a copy of out/a.md?",
        diff: { before: "old text\n", after: "new text\n" },
        facts: expect.arrayContaining([
          { label: "old file", value: "9 bytes, kept in the archive" },
        ]) as unknown,
      },
    });
    expect(outputs).toMatchObject({ archived: { kind: "file", origin: "out/b.md" } });
    expect(narrative).toContain("the old one is in the archive");
    expect(await harness.read("out/b.md")).toBe("new text\n");
    const again = { ...assessment, overwrites: false };
    await writeFile(inOut("b.md"), "written meanwhile\n");
    await expect(harness.call(fsCopy, args, { assessment: again })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect(await harness.read("out/b.md")).toBe("written meanwhile\n");
  });

  it("copies no folder, onto no folder, and nothing from outside", async () => {
    await mkdir(inOut("notes"));
    await mkdir(inOut("box/a.md"), { recursive: true });
    await expect(harness.call(fsCopy, { from: "notes", to: "b" })).rejects.toThrow(/only files are copied/u);
    await expect(harness.call(fsCopy, { from: "a.md", to: "box/", overwrite: true })).rejects.toThrow(
      /folders are never overwritten/u,
    );
    await expect(harness.call(fsCopy, { from: "missing.md", to: "b.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
    });
    await expect(harness.call(fsCopy, { from: "../../../etc/passwd", to: "b.md" })).rejects.toMatchObject({
      code: "PATH_OUTSIDE_WORKSPACE",
    });
    expect((await readdir(harness.folder("out"))).toSorted()).toEqual(["a.md", "box", "notes"]);
  });

  it("is undone by deleting the copy, or by restoring what it replaced", () => {
    const outputs = { from: "out/a.md", to: "out/b.md", bytes: 1 };
    expect(fsCopy.reverse?.({ args: {}, outputs })).toEqual([
      { skill: "fs_delete", args: { path: "out/b.md" } },
    ]);
    expect(fsCopy.reverse?.({ args: {}, outputs: { ...outputs, archived: { id: "file-1" } } })).toEqual([
      { skill: "archive_restore", args: { entry: "file-1", overwrite: true } },
    ]);
  });
});
