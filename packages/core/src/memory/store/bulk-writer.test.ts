import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
  const warnings: string[] = [];
  const journals = createJournals({ root, onUnreadable: () => undefined });
  const writer = createBulkWriter({
    journals,
    prepare: () => {
      throw new Error("nothing is replayed");
    },
    isArchived: async () => false,
    whenIdle,
    onWarning: (message) => void warnings.push(message),
  });
  return { writer, warnings, names: () => readdir(journals.folder) };
}

const memory = { record: testRecord({ id: "evt-1" }), path: "episodic/evt-1.json", hash: "", text: "{}" };

it("flushes its files only while no more urgent writes run", async () => {
  const urgent = Promise.withResolvers<void>();
  const { writer, warnings, names } = openWriter(() => urgent.promise);
  await writer.write("first", [memory], async () => undefined);
  for (let number = 0; number < 20; number += 1)
    await createFile(join(root, `urgent-${number}.json`), "{}", "a test file");
  expect(await names()).toEqual(["first.json"]);
  urgent.resolve();
  await expect.poll(names, { timeout: FLUSHED_MS }).toEqual([]);
  await writer.close();
  expect(warnings).toEqual([]);
});

it("closes without waiting for more urgent writes, and leaves its journal to the next opening", async () => {
  const { writer, names } = openWriter(() => new Promise(() => undefined));
  await writer.write("first", [memory], async () => undefined);
  await writer.close();
  expect(await names()).toEqual(["first.json"]);
});

describe("an index that fails", () => {
  const MANY = 450;
  const memories = Array.from({ length: MANY }, (_, number) => ({
    ...memory,
    path: `episodic/evt-${number}.json`,
  }));
  const failure = new Error("the index is away");
  const fail = () => Promise.reject(failure);

  it("does not decide whether the records are written, and is reported", async () => {
    const { writer, warnings } = openWriter(() => new Promise(() => undefined));
    await writer.write("first", memories, fail);
    expect(await readdir(join(root, "episodic"))).toHaveLength(MANY);
    expect(new Set(warnings)).toEqual(
      new Set(["Saved memories could not be indexed; the next start tries again."]),
    );
    await writer.close();
  });

  it("does not stop later writes from being flushed", async () => {
    const { writer, names } = openWriter(async () => undefined);
    await writer.write("first", [memory], fail);
    await writer.write("second", [memory], async () => undefined);
    await expect.poll(names, { timeout: FLUSHED_MS }).toEqual([]);
    await writer.close();
  });
});
