import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { pgliteHarness } from "../testing/harness.ts";
import { openRecordCopy, type RecordCopyOptions } from "./record-copy.ts";
import { openRecordRows } from "./record-rows.ts";

/** The rows of a new profile with this many memories, a folder for their copy, and what adds a memory. */
async function createRows(count: number) {
  const { database, newProfile } = await pgliteHarness();
  const rows = openRecordRows(database, newProfile(), { kind: "memory" });
  const create = async (records: MemoryRecord[]) => {
    await rows.create(
      records.map((record) => ({ id: record.id, path: `${record.id}.json`, body: JSON.stringify(record) })),
    );
  };
  await create(Array.from({ length: count }, newRecords.memory));
  const root = await mkdtemp(join(tmpdir(), "record-copy-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const open = (options: Pick<RecordCopyOptions<unknown>, "index"> & Partial<RecordCopyOptions<unknown>>) =>
    openRecordCopy<unknown>({
      rows,
      root,
      indexDatabase: join(root, "index.db"),
      folders: [],
      name: "memories",
      parse: ({ body }) => body,
      onWarning: (message) => {
        throw new Error(message);
      },
      ...options,
    });
  return { rows, root, create, open };
}

it("writes the next records while the ones before are indexed, and is complete when all are indexed", async () => {
  const { root, open } = await createRows(700);
  const batches: { size: number; done: PromiseWithResolvers<void> }[] = [];
  const copy = await open({
    async index(copied) {
      const done = Promise.withResolvers<void>();
      batches.push({ size: copied.length, done });
      await done.promise;
    },
  });
  let isLoaded = false;
  const loading = copy.load().then(() => (isLoaded = true));
  await expect.poll(() => batches.length).toBe(1);
  const files = async () => (await readdir(root)).filter((name) => name.endsWith(".json")).length;
  await expect.poll(files).toBe(700);
  expect(batches).toHaveLength(1);
  batches[0]?.done.resolve();
  await expect.poll(() => batches.map(({ size }) => size)).toEqual([500, 200]);
  expect(copy.isComplete()).toBe(false);
  expect(isLoaded).toBe(false);
  batches[1]?.done.resolve();
  await loading;
  expect(copy.isComplete()).toBe(true);
  await copy.close();
});

it("lets a read wait for the newest records, however long their first load takes", async () => {
  const { open } = await createRows(1);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const order: string[] = [];
  const copy = await open({
    async index() {
      await vi.advanceTimersByTimeAsync(60_000);
      order.push("indexed");
    },
  });
  await copy.catchUp();
  expect(order).toEqual(["indexed"]);
  await copy.close();
});

it("shows what others wrote since it was opened before all older records are copied", async () => {
  const { rows, create, open } = await createRows(1_200);
  const rest = Promise.withResolvers<void>();
  const indexed = new Map<string, unknown>();
  let pages = 0;
  const copy = await open({
    rows: {
      ...rows,
      async recordsBefore(seq, limit) {
        const page = await rows.recordsBefore(seq, limit);
        // These rows are old when they arrive.
        if ((pages += 1) === 3) await rest.promise;
        return page;
      },
    },
    async index(copied) {
      for (const { id, record } of copied) indexed.set(id, record);
    },
  });
  await copy.catchUp();
  const [late] = [newRecords.memory()];
  await create([late]);
  const [oldest] = await rows.recordsBefore(2, 1);
  if (!oldest) throw new Error("no record");
  await rows.archive(oldest.id, () => ({ title: "The oldest", origin: oldest.path }));
  await copy.catchUp();
  expect(copy.isComplete()).toBe(false);
  expect(indexed.get(late.id)).toEqual(late);
  rest.resolve();
  await copy.load();
  expect(copy.isComplete()).toBe(true);
  expect(indexed.get(oldest.id)).toBeNull();
  expect([...indexed.values()].filter((record) => record !== null)).toHaveLength(1_200);
  await copy.close();
});
