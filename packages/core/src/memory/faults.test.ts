import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MemoryRecord } from "../contract/memory.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { fileText } from "../files/file-content.ts";
import {
  createTestProfile,
  found,
  observe,
  USER_ORIGIN,
  type TestProfile,
} from "./testing/open-test-memory.ts";

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
});
afterEach(() => profile.remove());

const eventually = (look: () => Promise<void>): Promise<void> =>
  vi.waitFor(look, { timeout: 20_000, interval: 50 });

describe("what others do to the files while memories are open", () => {
  it("is detected without a read: edits, additions and removals, also in new folders", async () => {
    const opened = await profile.open();
    const [edited, removed] = await observe(opened, "first wording of the walnut", "a walnut to remove");
    if (!edited || !removed) throw new Error("two were written");
    await writeFile(
      profile.pathOf(edited),
      fileText({ ...edited, content: "second wording of the hazelnut" }),
    );
    await rm(profile.pathOf(removed));
    const added = { ...edited, id: "evt-20200101T000000000Z-cherry", content: "added cherry" };
    const elsewhere = join(profile.paths.memory.curated, "fruit", "2020", "cherry.json");
    await mkdir(dirname(elsewhere), { recursive: true });
    await writeFile(elsewhere, fileText(added));
    await eventually(async () => {
      expect(await opened.index.status()).toMatchObject({ items: 2, pending: 0 });
      expect(await found(opened, "hazelnut")).toEqual(["second wording of the hazelnut"]);
      expect(await found(opened, "cherry")).toEqual(["added cherry"]);
    });

    await rm(join(profile.paths.memory.curated, "fruit"), { recursive: true });
    await eventually(async () => expect((await opened.index.status()).items).toBe(1));
    await mkdir(dirname(elsewhere), { recursive: true });
    await writeFile(elsewhere, fileText(added));
    await eventually(async () => expect((await opened.index.status()).items).toBe(2));
  });

  it("is quarantined with a reason if it is not a record, and released when it is repaired", async () => {
    const opened = await profile.open();
    const [record] = await observe(opened, "a mendable melon");
    if (!record) throw new Error("one was written");
    const task = join(profile.paths.memory.tasks.active, "task-20260101T000000000Z-broken.json");
    await mkdir(dirname(task), { recursive: true });
    await writeFile(task, "{");
    await writeFile(profile.pathOf(record), fileText(record).slice(0, 80));
    await eventually(async () => {
      const { quarantined, items } = await opened.index.status();
      expect(quarantined.map(({ path }) => path.split("/")[0])).toEqual(["episodic", "tasks"]);
      expect(items).toBe(0);
    });
    await writeFile(profile.pathOf(record), fileText(record));
    await rm(task);
    await eventually(async () => {
      expect((await opened.index.status()).quarantined).toEqual([]);
      expect(await found(opened, "melon")).toEqual(["a mendable melon"]);
    });
  });
});

describe("the index file", () => {
  it("may be truncated or overwritten between two starts: it is rebuilt", async () => {
    const first = await profile.open();
    await observe(first, "one walnut", "two walnuts");
    await first.close();
    for (const damage of [
      () => truncate(profile.paths.memory.index, 5_000),
      () => writeFile(profile.paths.memory.index, "this is no database"),
      () => rm(dirname(profile.paths.memory.index), { recursive: true }),
    ]) {
      await damage();
      const again = await profile.open();
      expect(await found(again, "walnut")).toHaveLength(2);
      await again.close();
    }
  });

  it("of an earlier version stores the sources of records without embedding them again", async () => {
    const first = await profile.open();
    await first.memory.addMany(
      [
        { type: "observation", content: "one walnut" },
        { type: "observation", content: "two walnuts" },
      ],
      { source: { kind: "import", runId: "run-1" }, trust: "untrusted" },
    );
    await first.embedded();
    await first.close();
    const again = await profile.open();
    expect((await again.memory.list({ source: "import", runId: "run-1", limit: 5 })).total).toBe(2);
    expect(await again.index.status()).toMatchObject({ embedded: 2, pending: 0 });
  });
});

describe("what a killed process left unfinished", () => {
  it("is deleted at the next opening, but not the files of a running process", async () => {
    const first = await profile.open();
    const [record] = await observe(first, "one");
    if (!record) throw new Error("one was written");
    await first.memory.forget(record.id);
    await observe(first, "two");
    await first.close();
    const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const { root, archive } = profile.paths.memory;
    const folders = [dirname(profile.pathOf(record)), join(root, "journal"), join(archive.root, "memories")];
    const [left, living] = [`.${dead}-0123456789abcdef.tmp`, `.${process.pid}-0123456789abcdef.tmp`];
    for (const folder of folders) {
      await mkdir(folder, { recursive: true });
      for (const name of [left, living]) await writeFile(join(folder, name), "half");
    }
    await profile.open();
    for (const folder of folders)
      expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([living]);
  });
});

describe("a disk that is full", () => {
  it.skipIf(process.platform === "win32")(
    "is reported for one memory, for many and for an edit, and leaves no partial writes",
    async () => {
      const first = await profile.open();
      const [kept] = await observe(first, "kept as it was");
      if (!kept) throw new Error("one was written");
      await first.close();
      // The limit is on the size of one file, in blocks of 512 bytes; the system fails writes beyond it like a full disk.
      const program = join(import.meta.dirname, "test-processes", "fill-the-disk.ts");
      const output = execFileSync(
        "sh",
        ["-c", `ulimit -f 2048; exec "$0" "$1" "$2" "$3"`, process.execPath, program, profile.home, kept.id],
        { encoding: "utf8" },
      );
      expect(output.trim().split("\n")).toEqual(["STORAGE_FULL", "STORAGE_FULL", "STORAGE_FULL", "done"]);
      const again = await profile.open();
      expect((await again.memory.list({ limit: 9 })).items.map(({ content }) => content).sort()).toEqual([
        "kept as it was",
        "small enough",
      ]);
      expect((await again.index.status()).quarantined).toEqual([]);
      const names = await readdir(profile.paths.memory.root, { recursive: true });
      expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
      expect(await readdir(join(profile.paths.memory.root, "journal"))).toEqual([]);
    },
  );
});

describe("importing", () => {
  it("imports records with their ids and times, and changes nothing the second time", async () => {
    const opened = await profile.open();
    const [model] = await observe(opened, "model");
    if (!model) throw new Error("one was written");
    const records = Array.from({ length: 1_100 }, (_, number): MemoryRecord => ({
      ...model,
      id: `evt-20250101T0000${String(number).padStart(5, "0")}Z-walnut`,
      timestamp: "2025-01-01T00:00:00.000Z",
      content: `walnut number ${number}`,
      source: { kind: "import" },
    }));
    const first = await opened.memory.importMany(records);
    expect([first.added.length, first.unchanged.length, first.conflicts.length]).toEqual([1_100, 0, 0]);
    expect((await opened.memory.list({ limit: 1 })).total).toBe(1_101);
    expect(await opened.memory.get(records[7]?.id ?? "")).toEqual(records[7]);

    const changed = { ...model, content: "another model" };
    const second = await opened.memory.importMany([...records, changed]);
    expect([second.added.length, second.unchanged.length, second.conflicts]).toEqual([0, 1_100, [model.id]]);
    expect((await opened.memory.list({ limit: 1 })).total).toBe(1_101);
    expect((await opened.memory.get(model.id)).content).toBe("model");
  });

  it("imports a duplicate record once, and does not restore deleted records", async () => {
    const opened = await profile.open();
    const [one, gone] = await observe(opened, "one", "gone");
    if (!one || !gone) throw new Error("two were written");
    await opened.memory.forget(gone.id);
    const duplicate = { ...one, id: "evt-20250101T000000000Z-twin" };
    expect(await opened.memory.importMany([duplicate, duplicate, gone])).toEqual({
      added: [duplicate.id],
      unchanged: [duplicate.id],
      conflicts: [gone.id],
    });
    expect((await opened.memory.list({ limit: 1 })).total).toBe(2);
  });
});

describe("words of any script", () => {
  it.each([
    ["right-to-left", "קוד המוסך נמצא במחברת הכחולה", "איפה קוד המוסך?"],
    ["emoji", "the 🦔 lives under the shed", "🦔"],
    ["quotes and operators", `she said "NEAR(walnut*)" AND NOT (x OR y)`, `"NEAR(walnut*)" AND`],
  ])("are kept and found: %s", async (_name, content, query) => {
    const opened = await profile.open();
    const { id } = await opened.memory.add({ type: "observation", content }, USER_ORIGIN);
    expect(JSON.parse(await readFile(profile.pathOf({ id }), "utf8"))).toMatchObject({ content });
    expect(await found(opened, query)).toEqual([content]);
  });
});

describe("a memory that is not readable", () => {
  it("is rejected with a reason, and the others still work", async () => {
    const opened = await profile.open({ watch: false });
    const [broken] = await observe(opened, "broken walnut", "sound walnut");
    if (!broken) throw new Error("two were written");
    await writeFile(profile.pathOf(broken), "{");
    await expect(opened.memory.get(broken.id)).rejects.toBeInstanceOf(StorageCorruptError);
    await expect(opened.memory.edit(broken.id, { pinned: true })).rejects.toBeInstanceOf(StorageCorruptError);
    expect(await found(opened, "walnut")).toEqual(["sound walnut"]);
  });
});
