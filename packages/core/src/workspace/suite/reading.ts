import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { code, including, like, type Harness } from "./harness.ts";

/** Tests reading text and states, and suggestions for missing paths. */
export function describeReading(harness: Harness): void {
  describe("reading", () => {
    it("resolves a path without disk access", () => {
      const { files } = harness.space;
      expect(files.resolve("trips/oslo.md")).toEqual({
        path: "out/trips/oslo.md",
        root: "out",
        writable: true,
      });
      expect(files.resolve("INBOX//a.md")).toMatchObject({ path: "inbox/a.md", root: "inbox" });
    });

    it("reads text unchanged, including line breaks", async () => {
      await harness.put("a.md", "one\r\ntwo\n\u2028 שלום 👋");
      expect(await harness.read("a.md")).toEqual({
        path: "out/a.md",
        content: "one\r\ntwo\n\u2028 שלום 👋",
        bytes: 26,
        truncated: false,
      });
    });

    it("clips between characters and sets truncated", async () => {
      const text = "aé€👋".repeat(10);
      await harness.put("a.md", text);
      const whole = Buffer.from(text);
      for (let maxBytes = 1; maxBytes < whole.length; maxBytes += 1) {
        const { content, bytes, truncated } = await harness.read("a.md", maxBytes);
        expect(text.startsWith(content)).toBe(true);
        expect(Buffer.byteLength(content)).toBeGreaterThan(maxBytes - 4);
        expect({ bytes, truncated }).toEqual({ bytes: whole.length, truncated: true });
      }
      expect(await harness.read("a.md", whole.length)).toMatchObject({ content: text, truncated: false });
    });

    it("opens a file of any kind and hands out all of its bytes", async () => {
      const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * 7) % 256));
      await harness.put("picture.bin", bytes);
      const read = await harness.space.files.open("picture.bin", async (file) => ({
        path: file.path,
        bytes: file.bytes,
        content: Buffer.concat(await Array.fromAsync(file.chunks())),
      }));
      expect(read).toEqual({ path: "out/picture.bin", bytes: 600_000, content: bytes });
      await expect(harness.space.files.open("", () => Promise.resolve())).rejects.toEqual(
        code("INVALID_ARGS"),
      );
      await expect(harness.space.files.open("nope.bin", () => Promise.resolve())).rejects.toEqual(
        code("FILE_NOT_FOUND"),
      );
    });

    it("reads the beginning of a file of any size", async () => {
      await harness.put("big.txt", "0123456789".repeat(1_000_000));
      expect(await harness.read("big.txt", 64)).toMatchObject({ bytes: 10_000_000, truncated: true });
    });

    it.each([
      ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
      ["text in Latin-1", Buffer.from("caf\u00E9", "latin1")],
      ["text in UTF-16", Buffer.from("\uFEFFhello", "utf16le")],
      ["text with NUL bytes", Buffer.from("a\0b")],
      ["a cut character at its very end", Buffer.from([0x61, 0xc3])],
    ])("refuses %s as not text", async (_what, bytes) => {
      await harness.put("a.bin", bytes);
      await expect(harness.read("a.bin")).rejects.toMatchObject({
        code: "INVALID_ARGS",
        message: like("out/a.bin is not a text file"),
      });
    });

    it("suggests the nearest paths if the path does not exist", async () => {
      await harness.write("notes/today.md", "x");
      await harness.write("notes/tomorrow.md", "x");
      await harness.space.stored.put("inbox/today.txt", "x");
      await expect(harness.read("notes/todya.md")).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: including(["out/notes/today.md"]),
      });
      await expect(harness.read("note/today.md")).rejects.toMatchObject({
        suggestions: including(["out/notes/today.md"]),
      });
      await expect(harness.read("today.txt")).rejects.toMatchObject({
        suggestions: including(["inbox/today.txt"]),
      });
      await expect(harness.read("zebra.md")).rejects.toMatchObject({ suggestions: [] });
    });

    it("rejects a folder", async () => {
      await harness.write("notes/today.md", "x");
      await expect(harness.read("notes")).rejects.toEqual(code("INVALID_ARGS"));
      await expect(harness.read("out")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });

  describe("state", () => {
    it("returns the kind of an entry, or absent", async () => {
      await harness.write("notes/x.md", "four");
      expect(await harness.space.files.state("notes/x.md")).toEqual({
        path: "out/notes/x.md",
        kind: "file",
        bytes: 4,
      });
      expect(await harness.space.files.state("notes")).toEqual({
        path: "out/notes",
        kind: "folder",
        bytes: 0,
      });
      expect(await harness.space.files.state("inbox")).toEqual({ path: "inbox", kind: "folder", bytes: 0 });
      expect(await harness.space.files.state("no/such/x.md")).toEqual({
        path: "out/no/such/x.md",
        kind: "absent",
        bytes: 0,
      });
      await expect(harness.space.files.existing("notes/y.md")).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: ["out/notes/x.md"],
      });
    });

    it("finds a free path beside a taken one", async () => {
      await harness.write("notes/x.tar.gz", "x");
      expect(await harness.space.files.freePath("notes/y.md")).toBe("out/notes/y.md");
      expect(await harness.space.files.freePath("notes/x.tar.gz")).toBe("out/notes/x.tar-2.gz");
      expect(await harness.space.files.freePath("notes")).toBe("out/notes-2");
    });

    it("finds a name that the disk stores in another Unicode form", async () => {
      await harness.put("cafe\u0301.md", "decomposed");
      expect(await harness.read("caf\u00E9.md")).toMatchObject({
        path: "out/caf\u00E9.md",
        content: "decomposed",
      });
      await harness.write("caf\u00E9.md", "again", "any");
      expect(await harness.names("")).toEqual(["cafe\u0301.md"]);
    });

    it("detects a changed file, even with the same size and time", async () => {
      const { files, folders } = harness.space;
      const long = "x".repeat(1_000_000);
      await harness.put("a.txt", `${long}1`);
      const file = folders && join(folders.out, "a.txt");
      const times = file === undefined ? undefined : await stat(file);
      const before = await files.content(["a.txt"]);
      expect(before.files).toEqual([{ path: "out/a.txt", hash: before.files[0]?.hash }]);
      await harness.put("a.txt", `${long}2`);
      if (file !== undefined && times) await utimes(file, times.atime, times.mtime);
      expect((await files.content(["a.txt"])).hash).not.toBe(before.hash);
      await harness.put("a.txt", `${long}1`);
      expect(await files.content(["a.txt"])).toEqual(before);
    });

    it("detects changed, added and removed entries of a folder", async () => {
      const { files } = harness.space;
      const content = async () => files.content(["trip"]);
      const nothing = await content();
      await harness.makeFolder("trip/deep");
      const seen = [nothing, await content()];
      await harness.put("trip/deep/a.txt", "one");
      seen.push(await content());
      await harness.put("trip/deep/a.txt", "two");
      seen.push(await content());
      await harness.put("trip/b.txt", "two");
      const last = await content();
      seen.push(last);
      await harness.remove("trip/deep/a.txt");
      seen.push(await content());
      expect(new Set(seen.map(({ hash }) => hash)).size).toBe(6);
      await harness.put("trip/deep/a.txt", "two");
      expect(await content()).toEqual(last);
      expect(last.files.map(({ path }) => path)).toEqual(["out/trip/b.txt", "out/trip/deep/a.txt"]);
    });

    it("distinguishes paths, including missing ones", async () => {
      await harness.put("a.txt", "same");
      await harness.put("b.txt", "same");
      const { files } = harness.space;
      const hashes = [["a.txt"], ["b.txt"], ["a.txt", "b.txt"], ["b.txt", "a.txt"], ["none/c.txt"], ["none"]];
      const contents = await Promise.all(hashes.map((paths) => files.content(paths)));
      expect(new Set(contents.map(({ hash }) => hash)).size).toBe(hashes.length);
    });
  });
}
