import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { yieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { parseAsStored } from "../store/record-files.ts";
import { testRecord } from "../testing/test-record.ts";
import type { MemoryRecord, MemoryType } from "../../contract/memory.ts";
import { fileText, hashOf } from "../../files/file-content.ts";
import type { CallHandler } from "../../worker/serve-calls.ts";
import { parseIndexed } from "./catalog-table.ts";
import { openIndex } from "./open-index.ts";
import type { FiledRecord, IndexCalls } from "./protocol.ts";

const embedder = { id: "test", dimensions: 2 };
const ID = "evt-20260101T000000000Z-walnut";

let root: string;
let index: CallHandler<IndexCalls>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "metahuman-index-"));
  index = open();
});
afterEach(async () => {
  await index.call("close", null);
  await rm(root, { recursive: true });
});

function open(): CallHandler<IndexCalls> {
  return openIndex(
    {
      database: join(root, "index", "memory.db"),
      root,
      recordFolders: ["episodic"],
      taskFolders: [],
      embedder,
    },
    { onFailure: () => undefined, betweenSteps: async () => undefined },
  );
}

function filed(content: string, hash: string, type: MemoryType = "observation"): FiledRecord {
  const record = parseAsStored(testRecord({ id: ID, content, type }));
  return { record, path: `episodic/2026/${ID}.json`, hash };
}

describe("the queue of texts to embed", () => {
  const vector = Float32Array.from([1, 0]);

  it("returns a new text until its vector is stored", async () => {
    await index.call("putRecords", [filed("walnut bread", "first")]);
    expect((await index.call("pending", { embedder, limit: 5 })).texts).toEqual([
      { id: ID, hash: "first", text: "walnut bread" },
    ]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "first", vector }] });
    expect(await index.call("pending", { embedder, limit: 5 })).toEqual({ texts: [], isComplete: true });
    expect(await index.call("state", { embedder })).toMatchObject({ items: 1, embedded: 1, pending: 0 });
  });

  it("rejects and deletes the vector of a text that was changed or removed", async () => {
    await index.call("putRecords", [filed("walnut bread", "first")]);
    await index.call("putRecords", [filed("walnut cake", "second")]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "first", vector }] });
    expect(await index.call("state", { embedder })).toMatchObject({ embedded: 0, pending: 1 });
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "second", vector }] });
    await index.call("putRecords", [filed("walnut pie", "third")]);
    expect(await index.call("state", { embedder })).toMatchObject({ embedded: 0, pending: 1 });
    await index.call("removeEntries", [ID]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "third", vector }] });
    expect(await index.call("state", { embedder })).toMatchObject({ items: 0, embedded: 0, pending: 0 });
  });

  it("does not embed an unchanged record again", async () => {
    await index.call("putRecords", [filed("walnut bread", "first")]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "first", vector }] });
    await index.call("putRecords", [filed("walnut bread", "first")]);
    expect(await index.call("state", { embedder })).toMatchObject({ embedded: 1, pending: 0 });
  });

  it("moves the vector of a memory to another type without embedding it again", async () => {
    const nearest = (kind: string) =>
      index.call("nearest", { embedder, vector, limit: 5, filter: { kinds: [kind] } });
    await index.call("putRecords", [filed("walnut bread", "first")]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: "first", vector }] });
    await index.call("putRecords", [filed("walnut bread", "second", "curated")]);
    expect(await nearest("observation")).toEqual([]);
    expect(await nearest("curated")).toMatchObject([{ id: ID }]);
    expect(await index.call("state", { embedder })).toMatchObject({ embedded: 1, pending: 0 });
  });

  it("moves texts that could not be embedded behind the others", async () => {
    const other = { ...filed("oak", "oak"), path: "episodic/2026/oak.json" };
    const oak = { ...other, record: { ...other.record, id: "evt-20250101T000000000Z-oak" } };
    await index.call("putRecords", [oak, filed("walnut bread", "first")]);
    const order = async (): Promise<string[]> =>
      (await index.call("pending", { embedder, limit: 5 })).texts.map(({ hash }) => hash);
    expect(await order()).toEqual(["first", "oak"]);
    await index.call("postpone", { embedder, ids: [ID] });
    expect(await order()).toEqual(["oak", "first"]);
  });
});

it("counts as being rebuilt while a rebuild waits for a reconciliation that runs", async () => {
  await index.call("close", null);
  index = open();
  const running = index.call("reconcile", { everything: false });
  const rebuilt = index.call("reconcile", { everything: true });
  expect(await index.call("state", { embedder })).toMatchObject({ rebuilding: true });
  await Promise.all([running, rebuilt]);
  expect(await index.call("state", { embedder })).toMatchObject({ rebuilding: false });
});

it("is not rebuilt by a reconciliation after the first one of a new index", async () => {
  await index.call("reconcile", { everything: false });
  const running = index.call("reconcile", { everything: false });
  expect(await index.call("state", { embedder })).toMatchObject({ rebuilding: false });
  await running;
});

it("merges waiting words seconds after the last change, not again and again while texts are added", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const entries = Array.from({ length: 200 }, (_, number) => ({
    id: `text-${number}`,
    facts: { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] },
    text: `a quince numbered ${number}`,
  }));
  try {
    await index.call("putEntries", entries.slice(0, 120));
    const database = new BetterSqlite3(join(root, "index", "memory.db"), { readonly: true });
    const waiting = database.prepare("SELECT count(*) FROM waiting_words").pluck();
    for (const [number, entry] of entries.slice(120).entries()) {
      await vi.advanceTimersByTimeAsync(100);
      await index.call("putEntries", [entry]);
      for (let turn = 0; turn < 8; turn += 1) await yieldToEventLoop();
      expect(waiting.get()).toBe(121 + number);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    await expect.poll(() => waiting.get()).toBe(0);
    database.close();
  } finally {
    vi.useRealTimers();
  }
});

describe("the records of candidates", () => {
  const ABSOLUTE = { unrelated: 0, convincing: 1, alike: 1, meaningByRank: 0, meaningByStrength: 0 };
  const file = (): string => join(root, "episodic", "2026", `${ID}.json`);

  async function write(content: string): Promise<FiledRecord> {
    const { record, path } = filed(content, "");
    await mkdir(join(root, "episodic", "2026"), { recursive: true });
    await writeFile(file(), fileText(record));
    return { record, path, hash: hashOf(fileText(record)) };
  }

  async function find(query: string): Promise<(MemoryRecord | undefined)[]> {
    const { records } = await index.call("candidates", {
      query,
      limit: 5,
      filter: {},
      calibration: ABSOLUTE,
      withFailures: true,
      readAhead: 5,
    });
    return records.map(parseIndexed);
  }

  it("come from the index while their files are unchanged, and from the files afterwards", async () => {
    const { record, ...place } = await write("walnut bread");
    await index.call("putRecords", [{ record, ...place }]);
    expect(await find("walnut bread")).toEqual([record]);
    expect(await index.call("records", [ID])).toEqual([record]);
    const { record: changed } = await write("walnut bread with honey");
    expect(await find("walnut bread")).toEqual([]);
    expect(await index.call("records", [ID, "evt-20260101T000000000Z-oak"])).toEqual([changed, null]);
    expect(await find("walnut bread")).toEqual([changed]);
    await rm(file());
    expect(await find("walnut bread")).toEqual([]);
    expect(await index.call("records", [ID])).toEqual([null]);
  });

  it.each([
    ["a text that is too long", { content: `walnut ${"bread ".repeat(1_000)}` }],
    ["fields that are too long", { content: "walnut bread", metadata: { note: "x".repeat(5_000) } }],
    ["half a character", { content: "walnut bread \ud800" }],
  ])("come from the file of a record with %s", async (_, fields) => {
    const { record: written, path } = await write("walnut bread");
    const record = { ...written, ...fields };
    await writeFile(file(), fileText(record));
    await index.call("putRecords", [{ record, path, hash: hashOf(fileText(record)) }]);
    expect(await find("walnut bread")).toEqual([]);
    expect(await index.call("records", [ID])).toEqual([record]);
  });

  it("are stored by the first reconciliation after the upgrade of an index that had none, vectors stay", async () => {
    const { record, ...place } = await write("walnut bread");
    await index.call("putRecords", [{ record, ...place }]);
    const vector = Float32Array.from([1, 0]);
    await index.call("embedded", { embedder, texts: [{ id: ID, hash: place.hash, vector }] });
    await index.call("close", null);
    const database = new BetterSqlite3(join(root, "index", "memory.db"));
    database.exec("DROP TABLE record_fields; PRAGMA user_version = 9");
    database.close();
    index = open();
    expect(await find("walnut bread")).toEqual([]);
    await index.call("reconcile", { everything: false });
    expect(await find("walnut bread")).toEqual([record]);
    expect(await index.call("state", { embedder })).toMatchObject({ embedded: 1, pending: 0 });
  });
});

describe("closing", () => {
  const folder = (): string => join(root, "index");
  /** The occurrences of a word in the files of the database, ignoring case. */
  async function storedOf(word: RegExp): Promise<string[]> {
    const texts = (await readdir(folder())).map((name) => readFile(join(folder(), name), "latin1"));
    return (await Promise.all(texts)).flatMap((text) => text.match(word) ?? []);
  }

  it("leaves no word of texts that were removed just before", async () => {
    const text = (number: number) => ({
      id: `text-${number}`,
      facts: { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] },
      text: number % 2 === 0 ? "a plum" : `a quince named zanzibarqux${number}`,
    });
    const texts = Array.from({ length: 200 }, (_, number) => text(number));
    await index.call("putEntries", texts);
    const database = new BetterSqlite3(join(folder(), "memory.db"), { readonly: true });
    const waiting = database.prepare("SELECT count(*) FROM waiting_words").pluck();
    await expect.poll(() => waiting.get(), { timeout: 10_000 }).toBe(0);
    database.close();
    // Not after the removal: what merged the words may still be at work and delete them before the index closes.
    expect(await storedOf(/zanzibarqux/gi)).not.toEqual([]);
    const gone = texts.filter(({ text: words }) => words.includes("zanzibarqux"));
    await index.call(
      "removeEntries",
      gone.map(({ id }) => id),
    );
    await index.call("close", null);
    expect(await storedOf(/zanzibarqux/gi)).toEqual([]);
    index = open();
  });
});
