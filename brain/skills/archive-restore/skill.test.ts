import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsDelete } from "../fs-delete/skill.ts";
import { memoryForget } from "../memory-forget/skill.ts";
import { memoryRemember } from "../memory-remember/skill.ts";
import { taskCreate } from "../task-create/skill.ts";
import { taskDelete } from "../task-delete/skill.ts";
import { archiveRestore } from "./skill.ts";

const harness = skillHarness();
const put = (name: string, text: string) => writeFile(join(harness.folder("out"), name), text);
const tokyo = { timeZone: "Asia/Tokyo", locale: "en-GB" };

describe("archive_restore", () => {
  it("restores a deleted file by its path, the newest copy first", async () => {
    for (const text of ["old", "new"]) {
      await put("a.md", text);
      await harness.call(fsDelete, { path: "a.md" });
    }
    const { assessment, narrative } = await harness.call(archiveRestore, { entry: "out/a.md" });
    expect(assessment).toMatchObject({ risk: "low", paths: ["out/a.md"], overwrites: false });
    expect(narrative).toBe("Restored out/a.md.");
    expect(await harness.read("out/a.md")).toBe("new");
  });

  it("restores the item that matches the words, and asks which one if several do", async () => {
    for (const name of ["porto-packing.txt", "porto-budget.txt"]) {
      await put(name, name);
      await harness.call(fsDelete, { path: name });
    }
    const { narrative } = await harness.call(archiveRestore, { entry: "packing" });
    expect(narrative).toBe("Restored out/porto-packing.txt.");
    await harness.call(fsDelete, { path: "porto-packing.txt" });
    await expect(harness.call(archiveRestore, { entry: "porto" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: "Several things in the archive fit porto.",
    });
  });

  it("replaces an existing item only with overwrite, at high risk, and archives it", async () => {
    await put("b.md", "first");
    await harness.call(fsDelete, { path: "b.md" });
    await put("b.md", "second");
    await expect(harness.call(archiveRestore, { entry: "b.md" })).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: [expect.stringContaining("overwrite: true")],
    });
    const { assessment } = await harness.call(archiveRestore, { entry: "b.md", overwrite: true });
    expect(assessment).toMatchObject({ risk: "high", overwrites: true });
    expect(await harness.read("out/b.md")).toBe("first");
    await harness.call(archiveRestore, { entry: "b.md", overwrite: true });
    expect(await harness.read("out/b.md")).toBe("second");
  });

  it("previews the text that comes back beside the text that it replaces", async () => {
    await put("c.md", "sown: beans");
    await harness.call(fsDelete, { path: "c.md" });
    const absent = await harness.call(archiveRestore, { entry: "c.md" });
    expect(absent.assessment.preview.diff).toEqual({ before: "", after: "sown: beans", clipped: false });
    await harness.call(fsDelete, { path: "c.md" });
    await put("c.md", "sown: peas");
    const taken = await harness.call(archiveRestore, { entry: "c.md", overwrite: true });
    expect(taken.assessment.preview.diff).toEqual({
      before: "sown: peas",
      after: "sown: beans",
      clipped: false,
    });
  });

  it("previews the beginning of a long text, and no text of a picture or a folder", async () => {
    await put("long.txt", "ä".repeat(30_000));
    await put("dot.png", "\u0000");
    await mkdir(join(harness.folder("out"), "empty"));
    for (const path of ["long.txt", "dot.png", "empty"])
      await harness.call(fsDelete, { path, recursive: true });
    const long = await harness.call(archiveRestore, { entry: "long.txt" });
    expect(long.assessment.preview.diff).toEqual({ before: "", after: "ä".repeat(10_000), clipped: true });
    for (const entry of ["dot.png", "out/empty"])
      expect((await harness.call(archiveRestore, { entry })).assessment.preview).not.toHaveProperty("diff");
  });

  it("reports what is in a restored folder", async () => {
    await mkdir(join(harness.folder("out"), "letters/old"), { recursive: true });
    for (const name of ["council-draft.txt", "old/landlord.txt"]) await put(`letters/${name}`, name);
    await harness.call(fsDelete, { path: "letters", recursive: true });
    const { narrative, outputs } = await harness.call(archiveRestore, { entry: "letters" });
    expect(narrative).toContain("out/letters/council-draft.txt");
    expect(narrative).toContain("out/letters/old/landlord.txt");
    expect(outputs).toMatchObject({ content: { total: 3 } });
  });

  it("restores tasks and memories by their titles", async () => {
    const { outputs: task } = await harness.call(taskCreate, { title: "Buy paint" });
    await harness.call(taskDelete, { id: task["id"] });
    const { outputs: memory } = await harness.call(
      memoryRemember,
      { text: "the key is under the pot" },
      { request: "remember that the key is under the pot" },
    );
    await harness.call(memoryForget, { id: memory["id"] });
    expect((await harness.call(archiveRestore, { entry: "buy paint" })).narrative).toBe(
      "Restored “Buy paint”.",
    );
    expect((await harness.call(archiveRestore, { entry: "the key is under the pot" })).outputs).toMatchObject(
      {
        restored: { kind: "memory" },
      },
    );
    expect(await harness.ports.tasks.get(String(task["id"]))).toMatchObject({ title: "Buy paint" });
  });

  it("lists what is in the archive if nothing there has this name", async () => {
    await mkdir(join(harness.folder("out"), "c"));
    await expect(harness.call(archiveRestore, { entry: "nosuch.md" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("the moments in previews", () => {
  it("are in the time zone of the person", async () => {
    const due = await taskCreate.assess(
      { title: "Call Kim", due: "2099-11-26T08:00:00.000Z" },
      harness.ports,
      tokyo,
    );
    expect(due.preview.facts).toContainEqual({ label: "due", value: "2099-11-26 17:00" });
    await put("d.md", "x");
    await harness.call(fsDelete, { path: "d.md" });
    const [entry] = await harness.ports.archive.list();
    const { preview } = await archiveRestore.assess(
      { entry: "d.md", overwrite: false },
      harness.ports,
      tokyo,
    );
    const hour = Number(entry?.archivedAt.slice(11, 13));
    const archived = preview.facts.find(({ label }) => label === "archived")?.value;
    expect(archived).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/u);
    expect(Number(archived?.slice(11, 13))).toBe((hour + 9) % 24);
  });
});
