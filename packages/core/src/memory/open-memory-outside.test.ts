import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryNotFoundError } from "../errors/not-found-errors.ts";
import { OutcomeUnknownError } from "../errors/run-errors.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { fileText } from "../files/file-content.ts";
import {
  createTestProfile,
  found,
  observe,
  USER_ORIGIN,
  type TestProfile,
} from "./testing/open-test-memory.ts";

/** How long flushing a few files may take on a busy machine, in milliseconds. */
const FLUSHED_MS = 20_000;

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
});
afterEach(() => profile.remove());

describe("a change of the files by another program", () => {
  it("is detected at the next opening: edited, added, moved, copied, removed", async () => {
    const first = await profile.open();
    const [edited, moved, removed, kept] = await observe(
      first,
      "edited apple",
      "moved pear",
      "removed plum",
      "kept quince",
    );
    if (!edited || !moved || !removed || !kept) throw new Error("four were written");
    await first.close();

    await writeFile(profile.pathOf(edited), fileText({ ...edited, content: "edited banana" }));
    const elsewhere = join(profile.paths.memory.curated, "fruit", "my pear.json");
    await mkdir(dirname(elsewhere), { recursive: true });
    await rename(profile.pathOf(moved), elsewhere);
    await rm(profile.pathOf(removed));
    const added = { ...kept, id: "evt-20200101T000000000Z-cherry", content: "added cherry" };
    await writeFile(join(dirname(profile.pathOf(kept)), "by-hand.json"), JSON.stringify(added));
    await writeFile(join(dirname(profile.pathOf(kept)), "copy.json"), fileText(kept));

    const again = await profile.open();
    expect((await again.index.status()).items).toBe(4);
    expect(await found(again, "banana")).toEqual(["edited banana"]);
    expect(await found(again, "apple")).toEqual([]);
    expect(await found(again, "pear")).toEqual(["moved pear"]);
    expect(await found(again, "plum")).toEqual([]);
    expect(await found(again, "cherry")).toEqual(["added cherry"]);
    expect((await again.memory.edit(moved.id, { pinned: true })).pinned).toBe(true);
    expect(JSON.parse(await readFile(elsewhere, "utf8"))).toMatchObject({ pinned: true });
    expect((await again.index.status()).quarantined).toEqual([
      {
        path: `episodic/${kept.id.slice(4, 8)}/copy.json`,
        reason: `has the same id as episodic/${kept.id.slice(4, 8)}/${kept.id}.json`,
      },
    ]);
  });

  it("is visible to the next read, also while the memories are open", async () => {
    const opened = await profile.open();
    const [record, other] = await observe(opened, "first wording of the walnut", "another walnut");
    if (!record || !other) throw new Error("two were written");
    await writeFile(profile.pathOf(record), fileText({ ...record, content: "second wording of the walnut" }));
    await rm(profile.pathOf(other));
    expect((await opened.memory.get(record.id)).content).toBe("second wording of the walnut");
    expect(await found(opened, "walnut")).toEqual(["second wording of the walnut"]);
    await expect(opened.memory.get(other.id)).rejects.toBeInstanceOf(MemoryNotFoundError);
    // The index received what the reader noticed.
    expect(await found(opened, "second")).toEqual(["second wording of the walnut"]);
    expect((await opened.memory.list({ limit: 5 })).total).toBe(1);
  });

  it("is quarantined with a reason while it is not a memory, and read again when it is repaired", async () => {
    const first = await profile.open();
    const [record] = await observe(first, "a mendable melon");
    if (!record) throw new Error("one was written");
    await first.close();
    await writeFile(profile.pathOf(record), fileText(record).slice(0, 80));
    await writeFile(
      join(dirname(profile.pathOf(record)), "strange.json"),
      `{"id": "x", "type": "observation"}`,
    );
    await writeFile(
      join(dirname(profile.pathOf(record)), "binary.json"),
      Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    );
    await writeFile(join(dirname(profile.pathOf(record)), "notes.txt"), "not a record at all");
    await writeFile(join(dirname(profile.pathOf(record)), ".hidden.json"), "{");

    const again = await profile.open();
    const { quarantined, items } = await again.index.status();
    expect(items).toBe(0);
    expect(quarantined.map(({ path, reason }) => [path.split("/").at(-1), reason])).toEqual([
      ["binary.json", expect.stringContaining("UTF-8")],
      [`${record.id}.json`, expect.stringContaining("not valid JSON")],
      ["strange.json", expect.stringMatching(/^id: /)],
    ]);
    await expect(again.memory.get(record.id)).rejects.toBeInstanceOf(StorageCorruptError);
    await again.close();

    await writeFile(profile.pathOf(record), fileText(record));
    const third = await profile.open();
    expect(await found(third, "melon")).toEqual(["a mendable melon"]);
    expect((await third.index.status()).quarantined).toHaveLength(2);
  });

  it("reports task files that cannot be read", async () => {
    const folder = profile.paths.memory.tasks.active;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "task-20260101T000000000Z-broken.json"), "{");
    const opened = await profile.open();
    const [broken, ...others] = (await opened.index.status()).quarantined;
    expect(broken?.path).toBe("tasks/active/task-20260101T000000000Z-broken.json");
    expect(broken?.reason).toContain("JSON");
    expect(others).toEqual([]);
  });
});

describe("two processes on one profile", () => {
  it("see what the other wrote, edited and forgot", async () => {
    const [one, other] = [await profile.open(), await profile.open()];
    const [record] = await observe(one, "written by the first");
    if (!record) throw new Error("one was written");
    expect(await found(other, "written first")).toEqual(["written by the first"]);
    await other.memory.edit(record.id, { content: "changed by the second" });
    expect((await one.memory.get(record.id)).content).toBe("changed by the second");
    expect(await found(one, "changed")).toEqual(["changed by the second"]);
    await one.memory.forget(record.id);
    expect(await found(other, "changed")).toEqual([]);
    expect(await other.memory.archived()).toHaveLength(1);
  });

  it("write at the same moment with different ids", async () => {
    const clock = (): Date => new Date("2026-05-05T05:05:05.055Z");
    const [one, other] = [await profile.open({ clock }), await profile.open({ clock })];
    const contents = Array.from({ length: 10 }, () => "the same words");
    const [first, second] = await Promise.all([observe(one, ...contents), observe(other, ...contents)]);
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(20);
    expect((await one.memory.list({ limit: 50 })).items).toHaveLength(20);
  });
});

describe("a bulk write that was interrupted", () => {
  it("is completed at the next opening: missing files are written, torn ones repaired, others unchanged", async () => {
    const first = await profile.open();
    const [model] = await observe(first, "model");
    if (!model) throw new Error("one was written");
    const records = ["missing", "torn", "edited since", "archived since"].map((content, number) => ({
      ...model,
      id: `evt-20260101T00000000${number}Z-bulk`,
      content,
    }));
    await mkdir(dirname(profile.pathOf({ id: "evt-2026" })), { recursive: true });
    const [, torn, edited, archived] = records;
    if (!torn || !edited || !archived) throw new Error("four were made");
    await writeFile(profile.pathOf(torn), fileText(torn).slice(0, 40));
    await writeFile(profile.pathOf(edited), fileText({ ...edited, content: "edited by a person" }));
    await writeFile(profile.pathOf(archived), fileText(archived));
    await first.memory.forget(archived.id);
    await first.close();
    const journal = join(profile.paths.memory.root, "journal");
    await mkdir(journal, { recursive: true });
    await writeFile(join(journal, "evt-20260101.json"), JSON.stringify({ version: 1, records }));
    await writeFile(join(journal, "unreadable.json"), "{");

    const again = await profile.open();
    const contents = (await again.memory.list({ limit: 10 })).items.map(({ content }) => content).sort();
    expect(contents).toEqual(["edited by a person", "missing", "model", "torn"]);
    expect(profile.warnings).toEqual([
      expect.stringContaining("unreadable.json"),
      expect.stringContaining("2 files"),
    ]);
    await again.close();
    // Closing does not wait until the files are flushed; the next opening flushes the rest.
    await profile.open();
    await expect.poll(() => readdir(journal), { timeout: FLUSHED_MS }).toEqual(["unreadable.json"]);
  });

  it("is reported as stored, not as failed, if it was blocked: the memories appear at the next opening", async () => {
    const first = await profile.open({ clock: () => new Date("2025-01-01T00:00:00.000Z") });
    const inTheWay = dirname(profile.pathOf({ id: "evt-2025" }));
    await mkdir(dirname(inTheWay), { recursive: true });
    await writeFile(inTheWay, "no folder");
    const observations = ["kept", "kept too"].map((content) => ({ type: "observation" as const, content }));
    await expect(first.memory.addMany(observations, USER_ORIGIN)).rejects.toThrow(OutcomeUnknownError);
    await first.close();

    await rm(inTheWay);
    const again = await profile.open();
    const contents = (await again.memory.list({ limit: 10 })).items.map(({ content }) => content).sort();
    expect(contents).toEqual(["kept", "kept too"]);
  });
});
