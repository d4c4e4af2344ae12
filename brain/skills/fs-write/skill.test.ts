import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsWrite } from "./skill.ts";

const harness = skillHarness();

describe("fs_write", () => {
  it("creates a file at low risk in out/", async () => {
    const { assessment, outputs, narrative } = await harness.call(fsWrite, {
      path: "notes/today.md",
      content: "call the plumber",
    });
    expect(assessment).toEqual({
      risk: "low",
      overwrites: false,
      paths: ["out/notes/today.md"],
      hosts: [],
      content: expect.any(Function) as unknown,
      grant: { pathPrefix: "out/notes/today.md" },
      preview: {
        title: "Create out/notes/today.md?",
        target: "out/notes/today.md",
        diff: { before: "", after: "call the plumber", clipped: false },
        facts: [
          { label: "path", value: "out/notes/today.md" },
          { label: "size", value: "16 bytes" },
          { label: "file", value: "new" },
        ],
      },
    });
    expect(outputs).toEqual({ path: "out/notes/today.md", bytes: 16, created: true });
    expect(narrative).toBe("Created out/notes/today.md.");
    expect(await harness.read("out/notes/today.md")).toBe("call the plumber");
  });

  it("creates an empty file", async () => {
    expect((await harness.call(fsWrite, { path: "sandwich.txt", content: "" })).narrative).toBe(
      "Created out/sandwich.txt (empty).",
    );
  });

  it.each([["inbox/x.md"], ["docs/x.md"]])("has high risk outside out/: %s", async (path) => {
    const { assessment } = await harness.call(fsWrite, { path, content: "x" });
    expect(assessment).toMatchObject({
      risk: "high",
      overwrites: false,
      preview: { title: `Create ${path}?` },
    });
  });

  describe("the path of a written file", () => {
    beforeEach(async () => {
      await writeFile(join(harness.folder("out"), "a.md"), "old text");
    });

    it("rejects an overwrite without the flag before approval, and suggests a free path", async () => {
      await expect(
        fsWrite.assess(fsWrite.parse({ path: "a.md", content: "new" }), harness.ports),
      ).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        suggestions: ["out/a-2.md", "To change the file, use fs_edit, or overwrite: true."],
      });
      expect(await harness.read("out/a.md")).toBe("old text");
    });

    it("overwrites at high risk, previews both texts, and archives the old file", async () => {
      const { assessment, outputs, narrative } = await harness.call(fsWrite, {
        path: "a.md",
        content: "new",
        overwrite: true,
      });
      expect(assessment).toMatchObject({
        risk: "high",
        overwrites: true,
        preview: { title: "Overwrite out/a.md?", diff: { before: "old text", after: "new", clipped: false } },
      });
      expect(outputs).toMatchObject({
        path: "out/a.md",
        bytes: 3,
        created: false,
        archived: { kind: "file", origin: "out/a.md" },
      });
      expect(narrative).toBe("Overwrote out/a.md; the old text is in the archive.");
      expect(await harness.read("out/a.md")).toBe("new");

      const [archived] = await harness.ports.archive.list();
      await harness.ports.archive.restore(archived?.id ?? "", { replace: true });
      expect(await harness.read("out/a.md")).toBe("old text");
    });

    it("keeps every text of simultaneous overwrites: in the file or in the archive", async () => {
      const texts = ["1", "2", "3", "4"];
      const kept = await harness.ports.archive.list();
      await Promise.all(
        texts.map((content) => harness.call(fsWrite, { path: "a.md", content, overwrite: true })),
      );
      const before = new Set(kept.map(({ id }) => id));
      const added = (await harness.ports.archive.list()).filter(({ id }) => !before.has(id));
      const old = added.map(async ({ id }) => {
        const { bytes = [] } = await harness.ports.archive.read(id, { maxBytes: 100 });
        return Buffer.from(bytes).toString();
      });
      expect([...(await Promise.all(old)), await harness.read("out/a.md")].sort()).toEqual([
        ...texts,
        "old text",
      ]);
    });

    it("does not overwrite a file created after the assessment", async () => {
      const call = { path: "b.md", content: "new", overwrite: true };
      const assessment = await fsWrite.assess(fsWrite.parse(call), harness.ports);
      await writeFile(join(harness.folder("out"), "b.md"), "written meanwhile");
      await expect(harness.call(fsWrite, call, { assessment })).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
      });
      expect(await harness.read("out/b.md")).toBe("written meanwhile");
    });

    it("previews no text of a binary file, and clips long text", async () => {
      await writeFile(join(harness.folder("out"), "a.png"), Buffer.from([0, 1, 2]));
      const picture = await fsWrite.assess(
        fsWrite.parse({ path: "a.png", content: "x", overwrite: true }),
        harness.ports,
      );
      expect(picture.preview.diff).toBeUndefined();
      expect(picture.preview.facts).toContainEqual({ label: "old size", value: "3 bytes, not text" });
      const long = await fsWrite.assess(
        fsWrite.parse({ path: "a.md", content: "x".repeat(50_000), overwrite: true }),
        harness.ports,
      );
      expect(long.preview.diff).toMatchObject({ before: "old text", clipped: true });
      expect(long.preview.diff?.after.length).toBeLessThan(21_000);
    });
  });

  it("rejects the path of a folder", async () => {
    await mkdir(join(harness.folder("out"), "notes"));
    await expect(
      harness.call(fsWrite, { path: "notes", content: "x", overwrite: true }),
    ).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });

  it("writes nothing if cancelled", async () => {
    const signal = AbortSignal.abort();
    await expect(harness.call(fsWrite, { path: "a.md", content: "x" }, { signal })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(await readdir(harness.folder("out"))).toEqual([]);
  });
});
