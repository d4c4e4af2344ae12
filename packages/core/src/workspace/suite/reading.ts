import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { code, including, like, type Bench } from "./bench.ts";

/** Tests reading text and states, and suggestions for missing paths. */
export function describeReading(bench: Bench): void {
  describe("reading", () => {
    it("resolves a path without disk access", () => {
      const { files } = bench.space;
      expect(files.resolve("trips/oslo.md")).toEqual({
        path: "out/trips/oslo.md",
        root: "out",
        writable: true,
      });
      expect(files.resolve("INBOX//a.md")).toMatchObject({ path: "inbox/a.md", root: "inbox" });
    });

    it("reads text unchanged, including line breaks", async () => {
      await bench.put("a.md", "one\r\ntwo\n\u2028 שלום 👋");
      expect(await bench.read("a.md")).toEqual({
        path: "out/a.md",
        content: "one\r\ntwo\n\u2028 שלום 👋",
        bytes: 26,
        truncated: false,
      });
    });

    it("clips between characters and sets truncated", async () => {
      const text = "aé€👋".repeat(10);
      await bench.put("a.md", text);
      const whole = Buffer.from(text);
      for (let maxBytes = 1; maxBytes < whole.length; maxBytes += 1) {
        const { content, bytes, truncated } = await bench.read("a.md", maxBytes);
        expect(text.startsWith(content)).toBe(true);
        expect(Buffer.byteLength(content)).toBeGreaterThan(maxBytes - 4);
        expect({ bytes, truncated }).toEqual({ bytes: whole.length, truncated: true });
      }
      expect(await bench.read("a.md", whole.length)).toMatchObject({ content: text, truncated: false });
    });

    it("opens a file of any kind and hands out all of its bytes", async () => {
      const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => (index * 7) % 256));
      await bench.put("picture.bin", bytes);
      const read = await bench.space.files.open("picture.bin", async (file) => ({
        path: file.path,
        bytes: file.bytes,
        content: Buffer.concat(await Array.fromAsync(file.chunks())),
      }));
      expect(read).toEqual({ path: "out/picture.bin", bytes: 600_000, content: bytes });
      await expect(bench.space.files.open("", () => Promise.resolve())).rejects.toEqual(code("INVALID_ARGS"));
      await expect(bench.space.files.open("nope.bin", () => Promise.resolve())).rejects.toEqual(
        code("FILE_NOT_FOUND"),
      );
    });

    it("reads the beginning of a file of any size", async () => {
      await bench.put("big.txt", "0123456789".repeat(1_000_000));
      expect(await bench.read("big.txt", 64)).toMatchObject({ bytes: 10_000_000, truncated: true });
    });

    it.each([
      ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])],
      ["text in Latin-1", Buffer.from("caf\u00E9", "latin1")],
      ["text in UTF-16", Buffer.from("\uFEFFhello", "utf16le")],
      ["text with NUL bytes", Buffer.from("a\0b")],
      ["a cut character at its very end", Buffer.from([0x61, 0xc3])],
    ])("refuses %s as not text", async (_what, bytes) => {
      await bench.put("a.bin", bytes);
      await expect(bench.read("a.bin")).rejects.toMatchObject({
        code: "INVALID_ARGS",
        message: like("out/a.bin is not a text file"),
      });
    });

    it("suggests the nearest paths if the path does not exist", async () => {
      await bench.write("notes/today.md", "x");
      await bench.write("notes/tomorrow.md", "x");
      await bench.space.stored.put("inbox/today.txt", "x");
      await expect(bench.read("notes/todya.md")).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: including(["out/notes/today.md"]),
      });
      await expect(bench.read("note/today.md")).rejects.toMatchObject({
        suggestions: including(["out/notes/today.md"]),
      });
      await expect(bench.read("today.txt")).rejects.toMatchObject({
        suggestions: including(["inbox/today.txt"]),
      });
      await expect(bench.read("zebra.md")).rejects.toMatchObject({ suggestions: [] });
    });

    it("rejects a folder", async () => {
      await bench.write("notes/today.md", "x");
      await expect(bench.read("notes")).rejects.toEqual(code("INVALID_ARGS"));
      await expect(bench.read("out")).rejects.toEqual(code("INVALID_ARGS"));
    });
  });

  describe("state", () => {
    it("returns the kind of an entry, or absent", async () => {
      await bench.write("notes/x.md", "four");
      expect(await bench.space.files.state("notes/x.md")).toEqual({
        path: "out/notes/x.md",
        kind: "file",
        bytes: 4,
      });
      expect(await bench.space.files.state("notes")).toEqual({ path: "out/notes", kind: "folder", bytes: 0 });
      expect(await bench.space.files.state("inbox")).toEqual({ path: "inbox", kind: "folder", bytes: 0 });
      expect(await bench.space.files.state("no/such/x.md")).toEqual({
        path: "out/no/such/x.md",
        kind: "absent",
        bytes: 0,
      });
      await expect(bench.space.files.existing("notes/y.md")).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: ["out/notes/x.md"],
      });
    });

    it("finds a free path beside a taken one", async () => {
      await bench.write("notes/x.tar.gz", "x");
      expect(await bench.space.files.freePath("notes/y.md")).toBe("out/notes/y.md");
      expect(await bench.space.files.freePath("notes/x.tar.gz")).toBe("out/notes/x.tar-2.gz");
      expect(await bench.space.files.freePath("notes")).toBe("out/notes-2");
    });

    it("finds a name that the disk stores in another Unicode form", async () => {
      await bench.put("cafe\u0301.md", "decomposed");
      expect(await bench.read("caf\u00E9.md")).toMatchObject({
        path: "out/caf\u00E9.md",
        content: "decomposed",
      });
      await bench.write("caf\u00E9.md", "again", "any");
      expect(await bench.names("")).toEqual(["cafe\u0301.md"]);
    });

    it("detects a changed file, even with the same size and time", async () => {
      const { files, folders } = bench.space;
      const long = "x".repeat(1_000_000);
      await bench.put("a.txt", `${long}1`);
      const file = folders && join(folders.out, "a.txt");
      const times = file === undefined ? undefined : await stat(file);
      const before = await files.content(["a.txt"]);
      expect(before.files).toEqual([{ path: "out/a.txt", hash: before.files[0]?.hash }]);
      await bench.put("a.txt", `${long}2`);
      if (file !== undefined && times) await utimes(file, times.atime, times.mtime);
      expect((await files.content(["a.txt"])).hash).not.toBe(before.hash);
      await bench.put("a.txt", `${long}1`);
      expect(await files.content(["a.txt"])).toEqual(before);
    });

    it("detects changed, added and removed entries of a folder", async () => {
      const { files } = bench.space;
      const content = async () => files.content(["trip"]);
      const nothing = await content();
      await bench.makeFolder("trip/deep");
      const seen = [nothing, await content()];
      await bench.put("trip/deep/a.txt", "one");
      seen.push(await content());
      await bench.put("trip/deep/a.txt", "two");
      seen.push(await content());
      await bench.put("trip/b.txt", "two");
      const last = await content();
      seen.push(last);
      await bench.remove("trip/deep/a.txt");
      seen.push(await content());
      expect(new Set(seen.map(({ hash }) => hash)).size).toBe(6);
      await bench.put("trip/deep/a.txt", "two");
      expect(await content()).toEqual(last);
      expect(last.files.map(({ path }) => path)).toEqual(["out/trip/b.txt", "out/trip/deep/a.txt"]);
    });

    it("distinguishes paths, including missing ones", async () => {
      await bench.put("a.txt", "same");
      await bench.put("b.txt", "same");
      const { files } = bench.space;
      const hashes = [["a.txt"], ["b.txt"], ["a.txt", "b.txt"], ["b.txt", "a.txt"], ["none/c.txt"], ["none"]];
      const contents = await Promise.all(hashes.map((paths) => files.content(paths)));
      expect(new Set(contents.map(({ hash }) => hash)).size).toBe(hashes.length);
    });
  });
}
