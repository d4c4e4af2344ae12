import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { pgliteHarness } from "../testing/harness.ts";
import { openRecordCopy } from "./record-copy.ts";
import { openRecordRows } from "./record-rows.ts";

it("writes the next records while the ones before are indexed, and is complete when all are indexed", async () => {
  const { database, newProfile } = await pgliteHarness();
  const profile = newProfile();
  const rows = openRecordRows(database, profile, { kind: "memory" });
  const records = Array.from({ length: 700 }, newRecords.memory);
  await rows.create(
    records.map((record) => ({ id: record.id, path: `${record.id}.json`, body: JSON.stringify(record) })),
  );
  const root = await mkdtemp(join(tmpdir(), "record-copy-"));
  const batches: { size: number; done: PromiseWithResolvers<void> }[] = [];
  const copy = await openRecordCopy({
    rows,
    root,
    indexDatabase: join(root, "index.db"),
    folders: [],
    name: "memories",
    parse: ({ body }) => body,
    async index(copied) {
      const done = Promise.withResolvers<void>();
      batches.push({ size: copied.length, done });
      await done.promise;
    },
    onWarning: (message) => {
      throw new Error(message);
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
  await rm(root, { recursive: true });
});
