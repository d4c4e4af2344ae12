import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFile } from "../../files/durable-file.ts";
import { testRecord } from "../testing/test-record.ts";
import { createBulkWriter } from "./bulk-writer.ts";
import { createJournals } from "./journal.ts";

/** How long flushing a file may take on a busy machine, in milliseconds. */
const FLUSHED_MS = 20_000;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "metahuman-bulk-"));
});
afterEach(() => rm(root, { recursive: true }));

function openWriter(whenIdle: () => Promise<void>) {
  const journals = createJournals({ root, onUnreadable: () => undefined });
  const writer = createBulkWriter({
    journals,
    prepare: () => {
      throw new Error("nothing is replayed");
    },
    isArchived: async () => false,
    whenIdle,
    onWarning: (message) => {
      throw new Error(message);
    },
  });
  return { writer, names: () => readdir(journals.folder) };
}

const memory = { record: testRecord({ id: "evt-1" }), path: "episodic/evt-1.json", hash: "", text: "{}" };

it("flushes its files only while no more urgent writes run", async () => {
  const urgent = Promise.withResolvers<void>();
  const { writer, names } = openWriter(() => urgent.promise);
  await writer.write("first", [memory], async () => undefined);
  for (let number = 0; number < 20; number += 1)
    await createFile(join(root, `urgent-${number}.json`), "{}", "a test file");
  expect(await names()).toEqual(["first.json"]);
  urgent.resolve();
  await expect.poll(names, { timeout: FLUSHED_MS }).toEqual([]);
  await writer.close();
});

it("closes without waiting for more urgent writes, and leaves its journal to the next opening", async () => {
  const { writer, names } = openWriter(() => new Promise(() => undefined));
  await writer.write("first", [memory], async () => undefined);
  await writer.close();
  expect(await names()).toEqual(["first.json"]);
});
