import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsMove } from "./skill.ts";

const harness = skillHarness();

describe("fs_move", () => {
  beforeEach(async () => {
    await writeFile(join(harness.folder("out"), "a.md"), "a");
  });

  it("moves at medium risk within out/, and reports both paths", async () => {
    const { assessment, outputs, narrative } = await harness.call(fsMove, { from: "a.md", to: "notes/b.md" });
    expect(assessment).toMatchObject({
      risk: "medium",
      overwrites: false,
      paths: ["out/a.md", "out/notes/b.md"],
      grant: { paths: ["out/a.md", "out/notes/b.md"] },
      preview: {
        title: "Move out/a.md to out/notes/b.md?",
        facts: [
          { label: "from", value: "out/a.md" },
          { label: "to", value: "out/notes/b.md" },
          { label: "what", value: "1 byte" },
        ],
      },
    });
    expect(outputs).toEqual({ from: "out/a.md", to: "out/notes/b.md" });
    expect(narrative).toBe("Moved out/a.md to out/notes/b.md.");
    expect(await harness.read("out/notes/b.md")).toBe("a");
    expect(await readdir(harness.folder("out"))).toEqual(["notes"]);
  });

  it("says that a bare new name took a file out of its folder", async () => {
    await mkdir(join(harness.folder("out"), "books"));
    await writeFile(join(harness.folder("out"), "books/list.md"), "x");
    const { narrative } = await harness.call(fsMove, { from: "out/books/list.md", to: "reading-list.md" });
    expect(narrative).toBe("Moved out/books/list.md to out/reading-list.md, out of the folder out/books/.");
  });

  it("asks whether a missing folder or a new name is meant", async () => {
    await expect(harness.call(fsMove, { from: "a.md", to: "archive" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: "There is no folder out/archive. Should this folder be created, or is it the file's new name?",
      suggestions: ["archive/", "archive.md"],
    });
    expect(await readdir(harness.folder("out"))).toEqual(["a.md"]);
    const { outputs, narrative } = await harness.call(fsMove, { from: "a.md", to: "archive/" });
    expect(outputs).toEqual({ from: "out/a.md", to: "out/archive/a.md" });
    expect(narrative).toBe("Moved out/a.md to out/archive/a.md.");
    expect((await harness.call(fsMove, { from: "archive/a.md", to: "LICENSE" })).outputs).toEqual({
      from: "out/archive/a.md",
      to: "out/LICENSE",
    });
  });

  it("moves into a folder, with a trailing slash or an existing one", async () => {
    expect((await harness.call(fsMove, { from: "a.md", to: "new/" })).outputs).toEqual({
      from: "out/a.md",
      to: "out/new/a.md",
    });
    await mkdir(join(harness.folder("out"), "there"));
    expect((await harness.call(fsMove, { from: "new/a.md", to: "there" })).outputs).toEqual({
      from: "out/new/a.md",
      to: "out/there/a.md",
    });
    expect((await harness.call(fsMove, { from: "there/a.md", to: "out" })).outputs).toEqual({
      from: "out/there/a.md",
      to: "out/a.md",
    });
  });

  it("overwrites only on request, previews both texts, and archives the old file", async () => {
    await writeFile(join(harness.folder("out"), "b.md"), "old b");
    await expect(harness.call(fsMove, { from: "a.md", to: "b.md" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: ["out/b-2.md"],
    });
    const { assessment, outputs, narrative } = await harness.call(fsMove, {
      from: "a.md",
      to: "b.md",
      overwrite: true,
    });
    expect(assessment).toMatchObject({
      risk: "high",
      overwrites: true,
      preview: {
        title: "Overwrite out/b.md with out/a.md?",
        diff: { before: "old b", after: "a", clipped: false },
      },
    });
    expect(outputs).toMatchObject({ archived: { origin: "out/b.md" } });
    expect(narrative).toContain("the old one is in the archive");
    expect(await harness.read("out/b.md")).toBe("a");
  });

  it("does not overwrite a file created after the assessment", async () => {
    const call = { from: "a.md", to: "b.md", overwrite: true };
    const assessment = await fsMove.assess(fsMove.parse(call), harness.ports);
    await writeFile(join(harness.folder("out"), "b.md"), "meanwhile");
    await expect(harness.call(fsMove, call, { assessment })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect([await harness.read("out/a.md"), await harness.read("out/b.md")]).toEqual(["a", "meanwhile"]);
  });

  it("has high risk outside out/, except from the inbox into out/", async () => {
    const risk = async (from: string, to: string) =>
      (await fsMove.assess(fsMove.parse({ from, to }), harness.ports)).risk;
    await writeFile(join(harness.folder("inbox"), "letter.txt"), "x");
    await writeFile(join(harness.folder("docs"), "d.md"), "x");
    expect(await risk("inbox/letter.txt", "letter.txt")).toBe("medium");
    expect(await risk("a.md", "inbox/a.md")).toBe("high");
    expect(await risk("a.md", "docs/a.md")).toBe("high");
    expect(await risk("docs/d.md", "d.md")).toBe("high");
  });

  it("offers a grant for source and destination only", async () => {
    const grant = async (from: string, to: string) =>
      (await fsMove.assess(fsMove.parse({ from, to }), harness.ports)).grant;
    await mkdir(join(harness.folder("out"), "x/y"), { recursive: true });
    await writeFile(join(harness.folder("out"), "x/y/c.md"), "x");
    expect(await grant("x/y/c.md", "x/z/c.md")).toEqual({ paths: ["out/x/y/c.md", "out/x/z/c.md"] });
    expect(await grant("x/y", "docs/y")).toEqual({ paths: ["out/x/y/", "docs/y/"] });
  });

  it("never replaces a folder, and reports missing files", async () => {
    await mkdir(join(harness.folder("out"), "folder/a.md"), { recursive: true });
    await expect(harness.call(fsMove, { from: "a.md", to: "folder", overwrite: true })).rejects.toMatchObject(
      {
        code: "INVALID_ARGS",
      },
    );
    await expect(harness.call(fsMove, { from: "b.md", to: "c.md" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/a.md", "out/folder/a.md"],
    });
    await expect(harness.call(fsMove, { from: "a.md", to: "a.md" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });
});
