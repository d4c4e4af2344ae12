import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsList } from "./skill.ts";

const harness = skillHarness();

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(harness.folder("out"), path, ".."), { recursive: true });
    await writeFile(join(harness.folder("out"), path), path);
  }
}

describe("fs_list", () => {
  it("lists out/ by default", async () => {
    await put("b.md", "notes/a.md");
    const { outputs, narrative } = await harness.call(fsList, {});
    expect(outputs).toMatchObject({
      path: "out",
      total: 2,
      entries: [
        { name: "notes", kind: "folder", bytes: 0 },
        { name: "b.md", path: "out/b.md", kind: "file", bytes: 4 },
      ],
    });
    expect(narrative).toBe("Found 2 entries in out/: notes/, b.md.");
  });

  it("lists recursively and filters by pattern, with relative paths", async () => {
    await put("b.md", "notes/a.md", "notes/c.txt");
    const { outputs, narrative } = await harness.call(fsList, { recursive: true, pattern: "*.md" });
    expect(outputs).toMatchObject({ total: 2 });
    expect(narrative).toBe("Found 2 entries in out/: notes/a.md, b.md.");
  });

  it("states that only names were searched if none matches", async () => {
    await put("b.md");
    const { structured } = await harness.call(fsList, { recursive: true, pattern: "*hello*" });
    expect(structured).toBe(
      "Nothing in out/ with a name like *hello*; “search my files for …” looks into files.",
    );
  });

  it("renders a table without markup from names", async () => {
    await put("a|b.md", "c*d*.md");
    const { structured } = await harness.call(fsList, {});
    const rows = structured.split("\n");
    expect(rows.slice(0, 4)).toEqual([
      "out/",
      "",
      "| name | kind | size | modified |",
      "| --- | --- | --- | --- |",
    ]);
    expect(rows[4]).toMatch(/^\| a\\\|b\.md \| file \| 6 bytes \| \d{4}-\d{2}-\d{2} \d{2}:\d{2} \|$/u);
    expect(rows[5]).toMatch(/^\| c\\\*d\\\*\.md \| file \| 7 bytes \|/u);
  });

  it("states how many entries are not shown", async () => {
    await put(...Array.from({ length: 12 }, (_, index) => `${index}.md`));
    const { outputs, narrative, structured } = await harness.call(fsList, { limit: 10 });
    expect(outputs).toMatchObject({ total: 12 });
    expect(narrative).toBe(
      "Found 12 entries in out/: 0.md, 1.md, 2.md, 3.md, 4.md, 5.md, 6.md, 7.md and 4 more.",
    );
    expect(structured).toContain("2 more entries.");
  });

  it("reports an empty folder", async () => {
    const { outputs, narrative, structured } = await harness.call(fsList, { path: "inbox" });
    expect(outputs).toEqual({ path: "inbox", entries: [], total: 0 });
    expect(narrative).toBe("Found nothing in inbox/.");
    expect(structured).toBe("Nothing in inbox/.");
  });

  it("suggests similar folders for an unknown one", async () => {
    await put("notes/a.md");
    await expect(harness.call(fsList, { path: "note" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/notes", "out/notes/a.md"],
    });
  });

  it("rejects a pattern with exponential cost", async () => {
    await expect(harness.call(fsList, { pattern: "{a,b}".repeat(20) })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });
});
