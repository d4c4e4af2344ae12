import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { code, type Bench } from "./bench.ts";

/** Tests the permissions of files in folders. */
export function describePermissions(bench: Bench): void {
  describe("permissions", () => {
    it("replaces a file and keeps its permissions", async () => {
      await writeFile(join(bench.folders.out, "a.md"), "old", { mode: 0o640 });
      expect(await bench.write("a.md", "new", "any")).toEqual({ path: "out/a.md", bytes: 3, created: false });
      expect(await bench.get("a.md")).toBe("new");
      if (process.platform !== "win32")
        expect((await stat(join(bench.folders.out, "a.md"))).mode & 0o777).toBe(0o640);
    });

    it("does not replace a read-only file", async () => {
      await writeFile(join(bench.folders.out, "a.md"), "old", { mode: 0o444 });
      await expect(bench.write("a.md", "new", "any")).rejects.toEqual(code("PERMISSION_DENIED"));
      await expect(bench.space.files.appendText("a.md", "new")).rejects.toEqual(code("PERMISSION_DENIED"));
      expect(await bench.get("a.md")).toBe("old");
    });
  });
}

/** Tests writes: complete, exclusive if requested, and never partial. */
export function describeWriting(bench: Bench): void {
  describe("writing", () => {
    it("writes a new file with its parent folders and returns its canonical path", async () => {
      expect(await bench.write("trips/2026/oslo.md", "fjörd")).toEqual({
        path: "out/trips/2026/oslo.md",
        bytes: 6,
        created: true,
      });
      expect(await bench.get("trips/2026/oslo.md")).toBe("fjörd");
    });

    it("writes bytes that are not text as they are", async () => {
      const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
      const { files } = bench.space;
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
      await bench.put("a.md", "old");
      await bench.put("a-2.md", "other");
      await expect(bench.write("a.md", "new")).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        suggestions: ["out/a-3.md"],
      });
      await bench.makeFolder("folder");
      await expect(bench.write("folder", "new")).rejects.toEqual(code("INVALID_ARGS"));
      expect(await bench.get("a.md")).toBe("old");
    });

    it("lets exactly one of many writers create a file", async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(50_000));
      const results = await Promise.allSettled(texts.map((text) => bench.write("race.md", text)));
      expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
      expect(texts).toContain(await bench.get("race.md"));
    });

    it("never shows readers a partial file", async () => {
      const whole = ["a".repeat(300_000), "b".repeat(300_000)];
      await bench.write("a.md", "a".repeat(300_000));
      const writer = { goesOn: true };
      const writing = (async () => {
        for (let turn = 0; turn < 20; turn += 1) await bench.write("a.md", whole[turn % 2] ?? "", "any");
      })().finally(() => (writer.goesOn = false));
      while (writer.goesOn) expect(whole).toContain((await bench.read("a.md", 1_000_000)).content);
      await writing;
    });

    it("leaves no temporary files, even after an error or a cancellation", async () => {
      await bench.write("a.md", "x");
      await expect(bench.write("a.md", "y")).rejects.toThrow();
      const signal = AbortSignal.abort();
      await expect(bench.space.files.writeText("b.md", "y", { expect: "any", signal })).rejects.toMatchObject(
        {
          name: "AbortError",
        },
      );
      expect(await bench.names("")).toEqual(["a.md"]);
    });

    it("replaces a file", async () => {
      await bench.put("a.md", "old");
      expect(await bench.write("a.md", "new", "any")).toEqual({ path: "out/a.md", bytes: 3, created: false });
      expect(await bench.get("a.md")).toBe("new");
    });

    it("rejects a path below a file", async () => {
      await bench.put("a.md", "x");
      await expect(bench.write("a.md/b.md", "y")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });

  describe("appending", () => {
    it("starts on a new line and adds nothing else", async () => {
      expect(await bench.space.files.appendText("j.md", "one")).toEqual({
        path: "out/j.md",
        bytes: 3,
        created: true,
        lineBreak: false,
      });
      expect(await bench.space.files.appendText("j.md", "two\n")).toEqual({
        path: "out/j.md",
        bytes: 8,
        created: false,
        lineBreak: true,
      });
      await bench.space.files.appendText("j.md", "three");
      await bench.space.files.appendText("j.md", "\nfour");
      expect(await bench.get("j.md")).toBe("one\ntwo\nthree\nfour");
    });

    it("loses no line when many append at once", async () => {
      const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
      await Promise.all(lines.map((line) => bench.space.files.appendText("log.md", line)));
      expect((await bench.get("log.md")).split("\n").sort()).toEqual([...lines].sort());
    });

    it("does not add text to a picture", async () => {
      await bench.put("a.png", Buffer.from([0x89, 0x50, 0, 1]));
      await expect(bench.space.files.appendText("a.png", "x")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });
}
