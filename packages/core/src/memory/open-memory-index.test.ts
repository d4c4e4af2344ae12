import BetterSqlite3 from "better-sqlite3";
import { readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openMemory } from "./open-memory.ts";
import {
  createIndexThread,
  type IndexThread,
  indexThread,
  startIndexWorker,
} from "../worker/index-thread.ts";
import { openMemoryFiles } from "./store/memory-file-storage.ts";
import {
  createTestProfile,
  found,
  observe,
  USER_ORIGIN,
  type TestProfile,
} from "./testing/open-test-memory.ts";
import { newRecords } from "./testing/test-record.ts";
import { createTestEmbedder } from "./testing/test-embedder.ts";

let profile: TestProfile;
beforeEach(async () => {
  profile = await createTestProfile();
});
afterEach(() => profile.remove());

const database = (): string => profile.paths.memory.index;

describe("an index from an earlier opening", () => {
  let openings: number;
  const thread: IndexThread = {
    ...indexThread,
    connect(...opening) {
      openings += 1;
      return indexThread.connect(...opening);
    },
  };
  beforeEach(async () => {
    const first = await profile.open();
    await observe(first, "apples in the cellar");
    await first.close();
    openings = 0;
  });

  it("opens while the files of the memories are opened, even if that fails", async () => {
    await writeFile(profile.paths.memory.archive.root, "this is no folder");
    await expect(profile.open({ thread })).rejects.toThrow();
    expect(openings).toBe(1);
  });

  it("is not opened before another storage, which may delete it, is open", async () => {
    const { root: archiveRoot } = profile.paths.memory.archive;
    const opened = await profile.open({
      thread,
      async storage(place) {
        const storage = await openMemoryFiles({ ...place, archiveRoot, watched: [] });
        expect(openings).toBe(0);
        await rm(dirname(place.database), { recursive: true });
        return storage;
      },
    });
    expect(openings).toBe(1);
    expect(await found(opened, "apples")).toEqual(["apples in the cellar"]);
    expect(profile.warnings).toEqual([]);
  });
});

it("embeds the records of another storage when all are loaded, so that words find them sooner", async () => {
  const { root: archiveRoot } = profile.paths.memory.archive;
  const embedder = createTestEmbedder();
  const asked: number[] = [];
  const opened = await profile.open({
    embedder,
    async storage(place) {
      const storage = await openMemoryFiles({ ...place, archiveRoot, watched: [] });
      return {
        ...storage,
        async load() {
          for (let n = 0; n < 5; n += 1) {
            await storage.createMany([newRecords.memory()]);
            asked.push(embedder.asked);
          }
        },
      };
    },
  });
  expect(asked).toEqual([0, 0, 0, 0, 0]);
  await opened.embedded();
  expect(embedder.asked).toBe(5);
});

describe("an index that is lost", () => {
  const texts = ["apples in the cellar", "pears in the attic", "plums in the garden"];

  it("is recreated while it is open, without losing data or blocking writes", async () => {
    const opened = await profile.open();
    await observe(opened, ...texts);
    // The index may be writing there at this moment.
    await rm(dirname(database()), { recursive: true, maxRetries: 5 });
    await observe(opened, "quinces in the kitchen");
    // The next opening waits for the same reconciliation, and both use the same new file.
    await observe(await profile.open(), "medlars in the shed");
    for (const query of ["apples", "pears", "plums", "quinces", "medlars"])
      expect(await found(opened, query)).toHaveLength(1);
    expect((await opened.index.status()).items).toBe(5);
  });

  it.each([
    ["truncated", () => truncate(database(), 5_000)],
    ["overwritten with something else", () => writeFile(database(), "this is no database ".repeat(500))],
    ["emptied", () => truncate(database(), 0)],
    ["without its main file", () => rm(database())],
    ["from a later version", () => setSchemaVersion(99)],
  ])("is rebuilt if it is %s", async (_, damage) => {
    const first = await profile.open();
    await observe(first, ...texts);
    await first.close();
    await damage();
    const again = await profile.open();
    for (const query of ["apples", "pears", "plums"]) expect(await found(again, query)).toHaveLength(1);
    await again.embedded();
    expect(await again.index.status()).toMatchObject({
      items: 3,
      embedded: 3,
      pending: 0,
      rebuilding: false,
      progress: 1,
    });
  });

  it("is rebuilt on demand while searches continue, once at a time, with progress", async () => {
    const opened = await profile.open();
    await opened.memory.addMany(
      Array.from({ length: 1_000 }, (_, number) => ({
        type: "observation" as const,
        content: `walnut number ${number}`,
      })),
      USER_ORIGIN,
    );
    const both = await Promise.all([opened.index.rebuild(), opened.index.rebuild()]);
    for (const started of both) expect(started).toMatchObject({ rebuilding: true, items: 1_000 });
    expect(await found(opened, "walnut 500")).not.toEqual([]);
    let status = await opened.index.status();
    while (status.rebuilding) status = await opened.index.status();
    expect(status).toMatchObject({ items: 1_000, progress: 1 });
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ embedded: 1_000, pending: 0 });
  });

  it("is embedded only when its rebuild and the embedding that follows have ended", async () => {
    const opened = await profile.open();
    await observe(opened, "a walnut");
    await opened.embedded();
    await opened.index.rebuild();
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ rebuilding: false, embedded: 1, pending: 0 });
  });

  it("reports that it reads all files again after an upgrade of its format, with the progress", async () => {
    const first = await profile.open();
    await first.memory.addMany(
      Array.from({ length: 800 }, (_, number) => ({
        type: "observation",
        content: `walnut number ${number}`,
      })),
      USER_ORIGIN,
    );
    await first.close();
    const upgraded = new BetterSqlite3(database());
    upgraded.exec("UPDATE records SET stamp = '', hash = ''");
    upgraded.close();

    const again = await openMemory({ paths: profile.paths, embedder: createTestEmbedder() });
    try {
      const done = new AbortController();
      const ready = again.ready.then(() => done.abort());
      const rebuilding: boolean[] = [];
      while (!done.signal.aborted) rebuilding.push((await again.index.status()).rebuilding);
      await ready;
      expect(rebuilding).toContain(true);
      expect(await again.index.status()).toMatchObject({ items: 800, rebuilding: false, progress: 1 });
    } finally {
      await again.close();
    }
  });

  it("embeds everything again for another embedder, and keeps the vectors of the first", async () => {
    const one = createTestEmbedder({ id: "one" });
    const first = await profile.open({ embedder: one });
    await observe(first, ...texts);
    await first.embedded();
    await first.close();

    const other = createTestEmbedder({ id: "other", dimensions: 16 });
    const second = await profile.open({ embedder: other });
    expect(await found(second, "pears")).toHaveLength(1);
    await second.embedded();
    expect(await second.index.status()).toMatchObject({ embedded: 3, pending: 0, embedder: "other" });
    await second.close();

    const asked = one.asked;
    const third = await profile.open({ embedder: one });
    await third.embedded();
    expect(await third.index.status()).toMatchObject({ embedded: 3, pending: 0 });
    expect(one.asked).toBe(asked);
  });

  async function setSchemaVersion(version: number): Promise<void> {
    const bytes = await readFile(database());
    // The user version of a SQLite file is at offset 60 (https://www.sqlite.org/fileformat.html, 1.3).
    bytes.writeUInt32BE(version, 60);
    await writeFile(database(), bytes);
  }
});

describe("an index worker that stops", () => {
  it("restarts and catches up without losing a write", async () => {
    const workers: Worker[] = [];
    const opened = await profile.open({
      thread: createIndexThread(() => {
        const worker = startIndexWorker();
        workers.push(worker);
        return worker;
      }),
    });
    await observe(opened, "before the crash");
    const terminated = workers[0]?.terminate();
    await observe(opened, "during the crash");
    await terminated;
    expect(await found(opened, "crash")).toHaveLength(2);
    expect(workers).toHaveLength(2);
    expect(profile.warnings).toContain("The memory index stopped and restarts.");
  });

  it("indexes what was written while it could not start", async () => {
    let lives = false;
    const opened = await profile.open({
      thread: createIndexThread(() => {
        const worker = startIndexWorker();
        if (!lives) void worker.terminate();
        return worker;
      }),
    });
    await observe(opened, "written meanwhile");
    lives = true;
    // After a minute it may start again, even if it stopped several times.
    const realNow = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + 61_000);
    onTestFinished(() => clock.mockRestore());
    expect(profile.warnings).toContain("A memory was written but not indexed yet.");
    await expect.poll(async () => (await opened.index.status()).items).toBe(1);
    expect(await found(opened, "meanwhile")).toEqual(["written meanwhile"]);
  });

  it("that never starts disables search but not the memories", async () => {
    const opened = await profile.open({
      thread: createIndexThread(() => {
        const worker = startIndexWorker();
        void worker.terminate();
        return worker;
      }),
    });
    const [record] = await observe(opened, "still written");
    expect(record && (await opened.memory.get(record.id))).toEqual(record);
    await expect(opened.memory.recall({ query: "written" })).rejects.toMatchObject({
      name: "IndexUnavailableError",
    });
    expect(await readdir(join(profile.paths.memory.episodic, record?.id.slice(4, 8) ?? ""))).toHaveLength(1);
  });
});

describe("embedding", () => {
  it("waits for an unreachable embedder, and keyword search answers meanwhile", async () => {
    const embedder = createTestEmbedder();
    embedder.away = true;
    const opened = await profile.open({ embedder });
    await observe(opened, "apples in the cellar");
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ items: 1, embedded: 0, pending: 1 });
    expect(await found(opened, "apples")).toEqual(["apples in the cellar"]);

    embedder.away = false;
    await observe(opened, "pears in the attic");
    await expect
      .poll(() => opened.index.status(), { timeout: 20_000 })
      .toMatchObject({ embedded: 2, pending: 0 });
  });

  it("is not blocked by a text that the embedder refuses", async () => {
    const embedder = createTestEmbedder();
    embedder.poison = "poison";
    const opened = await profile.open({ embedder });
    await opened.memory.addMany(
      Array.from({ length: 100 }, (_, number) => ({
        type: "observation" as const,
        content: number === 50 ? "poison pill" : `walnut ${number}`,
      })),
      USER_ORIGIN,
    );
    await opened.embedded();
    expect(await opened.index.status()).toMatchObject({ embedded: 99, pending: 1 });
  });
});

describe("the first read after opening", () => {
  it("is answered before the files of thousands of memories are checked", async () => {
    const first = await profile.open();
    const filler = "orchards and meadows along the river ".repeat(150);
    await first.memory.addMany(
      Array.from({ length: 900 }, (_, number) => ({
        type: "observation",
        content: `plot${number} ${filler}`,
      })),
      USER_ORIGIN,
    );
    await observe(first, "quinces in the kitchen");
    const [outside] = await observe(first, "medlars in the shed");
    await first.embedded();
    await first.close();
    expect((await stat(database())).size).toBeGreaterThan(8 * 2 ** 20);
    const path = profile.pathOf({ id: outside?.id ?? "" });
    await writeFile(path, (await readFile(path, "utf8")).replace("medlars in", "walnuts in"));

    const again = await openMemory({ paths: profile.paths, embedder: createTestEmbedder() });
    try {
      const read = again.memory.recall({ query: "quinces" });
      const [before] = await Promise.all([again.memory.recall({ query: "walnuts" }), read]);
      expect(await read).toHaveLength(1);
      expect(before).toEqual([]);
      await again.ready;
      expect(await again.memory.recall({ query: "walnuts" })).toHaveLength(1);
    } finally {
      await again.close();
    }
  });
});
