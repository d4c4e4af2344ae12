import { describe, expect, it } from "vitest";
import { code, OUTSIDE, type Harness } from "./harness.ts";

/** Tests moves of files and folders, which must not lose anything. */
export function describeMoving(harness: Harness): void {
  describe("moving", () => {
    it("creates missing parent folders", async () => {
      await harness.put("a.md", "x");
      expect(await harness.space.files.move("a.md", "b/c.md", { overwrite: false })).toEqual({
        from: "out/a.md",
        to: "out/b/c.md",
      });
      expect(await harness.names("")).toEqual(["b"]);
      expect(await harness.get("b/c.md")).toBe("x");
    });

    it("moves a folder with its content, also between roots", async () => {
      await harness.write("b/c/d.md", "x");
      await harness.space.files.move("b", "inbox/b", { overwrite: false });
      expect(await harness.space.stored.get("inbox/b/c/d.md")).toBe("x");
    });

    it("replaces a file only with overwrite", async () => {
      await harness.put("a.md", "new");
      await harness.put("b.md", "old");
      await expect(harness.space.files.move("a.md", "b.md", { overwrite: false })).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        suggestions: ["out/b-2.md"],
      });
      expect([await harness.get("a.md"), await harness.get("b.md")]).toEqual(["new", "old"]);
      await harness.space.files.move("a.md", "b.md", { overwrite: true });
      expect(await harness.get("b.md")).toBe("new");
      expect(await harness.names("")).toEqual(["b.md"]);
    });

    it("never replaces a folder, nor a file by a folder, nor moves a folder into itself", async () => {
      await harness.write("folder/x.md", "x");
      await harness.put("a.md", "a");
      for (const overwrite of [true, false]) {
        await expect(harness.space.files.move("a.md", "folder", { overwrite })).rejects.toThrow();
        await expect(harness.space.files.move("folder", "a.md", { overwrite })).rejects.toThrow();
        await expect(harness.space.files.move("folder", "folder/inner/deep", { overwrite })).rejects.toEqual(
          code("INVALID_ARGS"),
        );
        await expect(harness.space.files.move("a.md", "./a.md", { overwrite })).rejects.toEqual(
          code("INVALID_ARGS"),
        );
        await expect(harness.space.files.move("out", "inbox/all", { overwrite })).rejects.toThrow();
      }
      expect([await harness.get("a.md"), await harness.get("folder/x.md")]).toEqual(["a", "x"]);
      expect(await harness.names("folder")).toEqual(["x.md"]);
    });

    it("does not move a folder to where the paths in it would be too deep or too long to open", async () => {
      const deep = `top/${"d/".repeat(20)}x.md`;
      await harness.write(deep, "x");
      const { move, readText } = harness.space.files;
      for (const to of [`${"e/".repeat(12)}top`, `${`${"f".repeat(200)}/`.repeat(5)}top`])
        await expect(move("top", to, { overwrite: false })).rejects.toEqual(code("INVALID_ARGS"));
      await move("top", `${"e/".repeat(9)}top`, { overwrite: false });
      expect(await readText(`${"e/".repeat(9)}${deep}`, { maxBytes: 10 })).toMatchObject({ content: "x" });
    });

    it("suggests the nearest paths if the source does not exist, and creates no folder", async () => {
      await harness.put("today.md", "x");
      await expect(
        harness.space.files.move("tody.md", "new/x.md", { overwrite: false }),
      ).rejects.toMatchObject({
        code: "FILE_NOT_FOUND",
        suggestions: ["out/today.md"],
      });
      expect(await harness.names("")).toEqual(["today.md"]);
    });

    it("lets exactly one of many files get a name", async () => {
      const names = Array.from({ length: 10 }, (_, index) => `from-${index}.md`);
      for (const from of names) await harness.put(from, from);
      const results = await Promise.allSettled(
        names.map((from) => harness.space.files.move(from, "to.md", { overwrite: false })),
      );
      expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
      const left = (await harness.names("")).filter((entry) => entry !== "to.md");
      expect([...left, await harness.get("to.md")].sort()).toEqual(names);
    });

    it("does not move folders with blocked names", async () => {
      await harness.write("project/readme.md", "x");
      await harness.makeFolder("project/inner/.git");
      await expect(harness.space.files.move("project", "moved", { overwrite: false })).rejects.toEqual(
        OUTSIDE,
      );
      expect(await harness.names("")).toEqual(["project"]);
    });
  });
}
