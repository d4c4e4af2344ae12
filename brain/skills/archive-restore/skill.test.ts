import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { fsDelete } from "../fs-delete/skill.ts";
import { memoryForget } from "../memory-forget/skill.ts";
import { memoryRemember } from "../memory-remember/skill.ts";
import { taskCreate } from "../task-create/skill.ts";
import { taskDelete } from "../task-delete/skill.ts";
import { archiveRestore } from "./skill.ts";

const bench = skillBench();
const put = (name: string, text: string) => writeFile(join(bench.folder("out"), name), text);
const tokyo = { timeZone: "Asia/Tokyo", locale: "en-GB" };

describe("archive_restore", () => {
  it("restores a deleted file by its path, the newest copy first", async () => {
    for (const text of ["old", "new"]) {
      await put("a.md", text);
      await bench.call(fsDelete, { path: "a.md" });
    }
    const { assessment, narrative } = await bench.call(archiveRestore, { entry: "out/a.md" });
    expect(assessment).toMatchObject({ risk: "low", paths: ["out/a.md"], overwrites: false });
    expect(narrative).toBe("Restored out/a.md.");
    expect(await bench.read("out/a.md")).toBe("new");
  });

  it("restores the item that matches the words, and asks which one if several do", async () => {
    for (const name of ["porto-packing.txt", "porto-budget.txt"]) {
      await put(name, name);
      await bench.call(fsDelete, { path: name });
    }
    const { narrative } = await bench.call(archiveRestore, { entry: "packing" });
    expect(narrative).toBe("Restored out/porto-packing.txt.");
    await bench.call(fsDelete, { path: "porto-packing.txt" });
    await expect(bench.call(archiveRestore, { entry: "porto" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: "Several things in the archive fit porto.",
    });
  });

  it("replaces an existing item only with overwrite, at high risk, and archives it", async () => {
    await put("b.md", "first");
    await bench.call(fsDelete, { path: "b.md" });
    await put("b.md", "second");
    await expect(bench.call(archiveRestore, { entry: "b.md" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: [expect.stringContaining("overwrite: true")],
    });
    const { assessment } = await bench.call(archiveRestore, { entry: "b.md", overwrite: true });
    expect(assessment).toMatchObject({ risk: "high", overwrites: true });
    expect(await bench.read("out/b.md")).toBe("first");
    await bench.call(archiveRestore, { entry: "b.md", overwrite: true });
    expect(await bench.read("out/b.md")).toBe("second");
  });

  it("previews the text that comes back beside the text that it replaces", async () => {
    await put("c.md", "sown: beans");
    await bench.call(fsDelete, { path: "c.md" });
    const absent = await bench.call(archiveRestore, { entry: "c.md" });
    expect(absent.assessment.preview.diff).toEqual({ before: "", after: "sown: beans", clipped: false });
    await bench.call(fsDelete, { path: "c.md" });
    await put("c.md", "sown: peas");
    const taken = await bench.call(archiveRestore, { entry: "c.md", overwrite: true });
    expect(taken.assessment.preview.diff).toEqual({
      before: "sown: peas",
      after: "sown: beans",
      clipped: false,
    });
  });

  it("previews the beginning of a long text, and no text of a picture or a folder", async () => {
    await put("long.txt", "ä".repeat(30_000));
    await put("dot.png", "\u0000");
    await mkdir(join(bench.folder("out"), "empty"));
    for (const path of ["long.txt", "dot.png", "empty"])
      await bench.call(fsDelete, { path, recursive: true });
    const long = await bench.call(archiveRestore, { entry: "long.txt" });
    expect(long.assessment.preview.diff).toEqual({ before: "", after: "ä".repeat(10_000), clipped: true });
    for (const entry of ["dot.png", "out/empty"])
      expect((await bench.call(archiveRestore, { entry })).assessment.preview).not.toHaveProperty("diff");
  });

  it("reports what is in a restored folder", async () => {
    await mkdir(join(bench.folder("out"), "letters/old"), { recursive: true });
    for (const name of ["council-draft.txt", "old/landlord.txt"]) await put(`letters/${name}`, name);
    await bench.call(fsDelete, { path: "letters", recursive: true });
    const { narrative, outputs } = await bench.call(archiveRestore, { entry: "letters" });
    expect(narrative).toContain("out/letters/council-draft.txt");
    expect(narrative).toContain("out/letters/old/landlord.txt");
    expect(outputs).toMatchObject({ content: { total: 3 } });
  });

  it("restores tasks and memories by their titles", async () => {
    const { outputs: task } = await bench.call(taskCreate, { title: "Buy paint" });
    await bench.call(taskDelete, { id: task["id"] });
    const { outputs: memory } = await bench.call(
      memoryRemember,
      { text: "the key is under the pot" },
      { request: "remember that the key is under the pot" },
    );
    await bench.call(memoryForget, { id: memory["id"] });
    expect((await bench.call(archiveRestore, { entry: "buy paint" })).narrative).toBe(
      "Restored “Buy paint”.",
    );
    expect((await bench.call(archiveRestore, { entry: "the key is under the pot" })).outputs).toMatchObject({
      restored: { kind: "memory" },
    });
    expect(await bench.ports.tasks.get(String(task["id"]))).toMatchObject({ title: "Buy paint" });
  });

  it("lists what is in the archive if nothing there has this name", async () => {
    await mkdir(join(bench.folder("out"), "c"));
    await expect(bench.call(archiveRestore, { entry: "nosuch.md" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("the moments in previews", () => {
  it("are in the time zone of the person", async () => {
    const due = await taskCreate.assess(
      { title: "Call Kim", due: "2099-11-26T08:00:00.000Z" },
      bench.ports,
      tokyo,
    );
    expect(due.preview.facts).toContainEqual({ label: "due", value: "2099-11-26 17:00" });
    await put("d.md", "x");
    await bench.call(fsDelete, { path: "d.md" });
    const [entry] = await bench.ports.archive.list();
    const { preview } = await archiveRestore.assess({ entry: "d.md", overwrite: false }, bench.ports, tokyo);
    const hour = Number(entry?.archivedAt.slice(11, 13));
    const archived = preview.facts.find(({ label }) => label === "archived")?.value;
    expect(archived).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/u);
    expect(Number(archived?.slice(11, 13))).toBe((hour + 9) % 24);
  });
});
