import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { code, type Harness } from "./harness.ts";

/** Tests the permissions of files in folders. */
export function describePermissions(harness: Harness): void {
  describe("permissions", () => {
    it("replaces a file and keeps its permissions", async () => {
      await writeFile(join(harness.folders.out, "a.md"), "old", { mode: 0o640 });
      expect(await harness.write("a.md", "new", "any")).toEqual({
        path: "out/a.md",
        bytes: 3,
        created: false,
      });
      expect(await harness.get("a.md")).toBe("new");
      if (process.platform !== "win32")
        expect((await stat(join(harness.folders.out, "a.md"))).mode & 0o777).toBe(0o640);
    });

    it("does not replace a read-only file", async () => {
      await writeFile(join(harness.folders.out, "a.md"), "old", { mode: 0o444 });
      await expect(harness.write("a.md", "new", "any")).rejects.toEqual(code("PERMISSION_DENIED"));
      await expect(harness.space.files.appendText("a.md", "new")).rejects.toEqual(code("PERMISSION_DENIED"));
      expect(await harness.get("a.md")).toBe("old");
    });
  });
}

/** Tests writes: complete, exclusive if requested, and never partial. */
export function describeWriting(harness: Harness): void {
  describe("writing", () => {
    it("writes a new file with its parent folders and returns its canonical path", async () => {
      expect(await harness.write("trips/2026/oslo.md", "fjörd")).toEqual({
        path: "out/trips/2026/oslo.md",
        bytes: 6,
        created: true,
      });
      expect(await harness.get("trips/2026/oslo.md")).toBe("fjörd");
    });

    it("writes bytes that are not text as they are", async () => {
      const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
      const { files } = harness.space;
      expect(await files.writeBytes("a.png", picture, { expect: "absent" })).toEqual({
        path: "out/a.png",
        bytes: 6,
        created: true,
      });
      const read = await files.open("a.png", async (file) =>
        Buffer.concat(await Array.fromAsync(file.chunks())),
      );
      expect(read).toEqual(picture);
      await expect(files.writeBytes("a.png", picture, { expect: "absent" })).rejects.toEqual(
        code("ALREADY_EXISTS"),
      );
    });

    it("does not overwrite a path that must be absent, and suggests a free path", async () => {
      await harness.put("a.md", "old");
      await harness.put("a-2.md", "other");
      await expect(harness.write("a.md", "new")).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        suggestions: ["out/a-3.md"],
      });
      await harness.makeFolder("folder");
      await expect(harness.write("folder", "new")).rejects.toEqual(code("INVALID_ARGS"));
      expect(await harness.get("a.md")).toBe("old");
    });

    it("lets exactly one of many writers create a file", async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(50_000));
      const results = await Promise.allSettled(texts.map((text) => harness.write("race.md", text)));
      expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
      expect(texts).toContain(await harness.get("race.md"));
    });

    it("never shows readers a partial file", async () => {
      const whole = ["a".repeat(300_000), "b".repeat(300_000)];
      await harness.write("a.md", "a".repeat(300_000));
      const writer = { goesOn: true };
      const writing = (async () => {
        for (let turn = 0; turn < 20; turn += 1) await harness.write("a.md", whole[turn % 2] ?? "", "any");
      })().finally(() => (writer.goesOn = false));
      while (writer.goesOn) expect(whole).toContain((await harness.read("a.md", 1_000_000)).content);
      await writing;
    });

    it("leaves no temporary files, even after an error or a cancellation", async () => {
      await harness.write("a.md", "x");
      await expect(harness.write("a.md", "y")).rejects.toThrow();
      const signal = AbortSignal.abort();
      await expect(
        harness.space.files.writeText("b.md", "y", { expect: "any", signal }),
      ).rejects.toMatchObject({
        name: "AbortError",
      });
      expect(await harness.names("")).toEqual(["a.md"]);
    });

    it("replaces a file", async () => {
      await harness.put("a.md", "old");
      expect(await harness.write("a.md", "new", "any")).toEqual({
        path: "out/a.md",
        bytes: 3,
        created: false,
      });
      expect(await harness.get("a.md")).toBe("new");
    });

    it("rejects a path below a file", async () => {
      await harness.put("a.md", "x");
      await expect(harness.write("a.md/b.md", "y")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });

  describe("appending", () => {
    it("starts on a new line and adds nothing else", async () => {
      expect(await harness.space.files.appendText("j.md", "one")).toEqual({
        path: "out/j.md",
        bytes: 3,
        created: true,
        lineBreak: false,
      });
      expect(await harness.space.files.appendText("j.md", "two\n")).toEqual({
        path: "out/j.md",
        bytes: 8,
        created: false,
        lineBreak: true,
      });
      await harness.space.files.appendText("j.md", "three");
      await harness.space.files.appendText("j.md", "\nfour");
      expect(await harness.get("j.md")).toBe("one\ntwo\nthree\nfour");
    });

    it("loses no line when many append at once", async () => {
      const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
      await Promise.all(lines.map((line) => harness.space.files.appendText("log.md", line)));
      expect((await harness.get("log.md")).split("\n").sort()).toEqual([...lines].sort());
    });

    it("does not add text to a picture", async () => {
      await harness.put("a.png", Buffer.from([0x89, 0x50, 0, 1]));
      await expect(harness.space.files.appendText("a.png", "x")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });
}
