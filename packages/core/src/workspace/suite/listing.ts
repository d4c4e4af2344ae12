import { beforeEach, describe, expect, it } from "vitest";
import { code, including, matching, type Harness } from "./harness.ts";

/** Tests listings and their order. */
export function describeListing(harness: Harness): void {
  describe("listing", () => {
    beforeEach(async () => {
      for (const path of [
        "b10.md",
        "b9.md",
        "A.txt",
        "notes/x.md",
        "notes/deep/y.md",
        "arts/z.md",
        ".hidden.md",
      ])
        await harness.write(path, path);
      await harness.put(".env", "SECRET=1");
      await harness.makeFolder(".git");
      await harness.put(".git/config", "x");
    });
    const list = (path: string, pattern?: string, recursive = false, limit = 100) =>
      harness.space.files.list(path, { recursive, limit, ...(pattern !== undefined && { pattern }) });
    const paths = async (...query: Parameters<typeof list>): Promise<string[]> =>
      (await list(...query)).entries.map((entry) => entry.path);

    it("lists folders first, then names in natural order, without blocked names", async () => {
      expect(await paths("out")).toEqual([
        "out/arts",
        "out/notes",
        "out/.hidden.md",
        "out/A.txt",
        "out/b9.md",
        "out/b10.md",
      ]);
    });

    it("lists nothing that is too deep to be named", async () => {
      const start = Array.from({ length: 10 }, () => "a").join("/");
      // `out` is not counted.
      await harness.makeFolder(Array.from({ length: 40 }, () => "a").join("/"));
      const { entries } = await harness.space.files.list(`out/${start}`, { recursive: true, limit: 100 });
      for (const { path } of entries)
        await expect(harness.space.files.state(path)).resolves.toMatchObject({ kind: "folder" });
      expect(entries.length).toBeGreaterThan(10);
    });

    it("lists recursively, folder by folder", async () => {
      expect(await paths("out", undefined, true)).toEqual([
        "out/arts",
        "out/arts/z.md",
        "out/notes",
        "out/notes/deep",
        "out/notes/deep/y.md",
        "out/notes/x.md",
        "out/.hidden.md",
        "out/A.txt",
        "out/b9.md",
        "out/b10.md",
      ]);
    });

    it("describes each entry", async () => {
      const { entries, path, total } = await list("notes");
      expect({ path, total }).toEqual({ path: "out/notes", total: 2 });
      expect(entries).toEqual([
        {
          name: "deep",
          path: "out/notes/deep",
          kind: "folder",
          bytes: 0,
          modified: matching(/^\d{4}-.*Z$/u),
        },
        {
          name: "x.md",
          path: "out/notes/x.md",
          kind: "file",
          bytes: 10,
          modified: matching(/^\d{4}-.*Z$/u),
        },
      ]);
    });

    it("filters by pattern: names, or paths below the folder", async () => {
      expect(await paths("out", "*.md")).toEqual(["out/.hidden.md", "out/b9.md", "out/b10.md"]);
      expect(await paths("out", "[a-c]*.{md,txt}")).toEqual(["out/A.txt", "out/b9.md", "out/b10.md"]);
      expect(await paths("out", "?.md", true)).toEqual([
        "out/arts/z.md",
        "out/notes/deep/y.md",
        "out/notes/x.md",
      ]);
      expect(await paths("out", "notes/**", true)).toEqual([
        "out/notes",
        "out/notes/deep",
        "out/notes/deep/y.md",
        "out/notes/x.md",
      ]);
      expect(await paths("out", "*/*.md", true)).toEqual(["out/arts/z.md", "out/notes/x.md"]);
      expect(await paths("out", "../*")).toEqual([]);
    });

    it("counts all entries and returns up to the limit", async () => {
      const { entries, total } = await list("out", undefined, true, 3);
      expect(entries).toHaveLength(3);
      expect(total).toBe(10);
    });

    it("rejects files and missing paths", async () => {
      await expect(list("b9.md")).rejects.toEqual(code("INVALID_ARGS"));
      await expect(list("note")).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: including(["out/notes"]),
      });
      expect(await list("inbox")).toEqual({ path: "inbox", entries: [], total: 0 });
    });

    it("stops when it is cancelled", async () => {
      const signal = AbortSignal.abort();
      await expect(
        harness.space.files.list("out", { recursive: true, limit: 9, signal }),
      ).rejects.toMatchObject({
        name: "AbortError",
      });
    });
  });
}
