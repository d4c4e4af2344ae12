import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { searchedText } from "@metahuman/core/memory/index/record-index";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { openPostgres, type Postgres } from "../open-postgres.ts";
import { openPGlite } from "../testing/pglite.ts";
import { describeMissing, openMemorySearch } from "./memory-search.ts";
import { openRecordRows } from "./record-rows.ts";
import { openStoredVectors } from "./stored-vectors.ts";

const DIMENSIONS = 4;
const NEAR = Float32Array.of(1, 0, 0, 0);
const FAR = Float32Array.of(0, 1, 0, 0);
const IndexRow = z.object({ condition: z.string() });
const StoredRow = z.object({ text_hash: z.string(), is_searched: z.boolean() });

let database: Postgres;
let profiles = 0;
beforeAll(async () => {
  database = await openPostgres(await openPGlite({ vectors: "created" }));
});
afterAll(() => database.close());

/** A new profile with a memory, as a process that stores its vectors sees it. */
async function openProfile(embedderId = "ollama/near:latest") {
  const profile = `person-${(profiles += 1)}`;
  const embedder = { id: embedderId, dimensions: DIMENSIONS };
  const vectors = openStoredVectors(database, profile);
  const rows = openRecordRows(database, profile, { kind: "memory" });
  const entry = (record: MemoryRecord, vector: Float32Array) => ({
    ...{ id: record.id, text: searchedText(record), vector },
  });
  return {
    embedder,
    vectors,
    entry,
    async add(): Promise<MemoryRecord> {
      const record = newRecords.memory();
      await rows.create([{ id: record.id, path: `${record.id}.json`, body: JSON.stringify(record) }]);
      await describeMissing(database, profile);
      return record;
    },
    async edit(record: MemoryRecord, fields: Partial<MemoryRecord>): Promise<MemoryRecord> {
      const edited = { ...record, ...fields, version: 2 };
      await rows.change(record.id, () => JSON.stringify(edited));
      return edited;
    },
    save: (...entries: ReturnType<typeof entry>[]) => vectors.save(embedder, entries),
    load: async (...records: MemoryRecord[]) =>
      await vectors.load(
        embedder,
        records.map((record) => ({ id: record.id, text: searchedText(record) })),
      ),
    stored: async (id: string) =>
      await database.inProfile(profile, (session) =>
        session.get(
          StoredRow,
          `SELECT text_hash, meaning IS NOT NULL AS is_searched FROM embeddings
           WHERE profile = :profile AND record_id = :id`,
          { id },
        ),
      ),
    find: async (vector: Float32Array) =>
      await openMemorySearch(database, profile, { isNeeded: () => true })?.find({
        ...{ stems: [], averageWords: 0, filter: {}, limit: 5 },
        nearest: { embedder, vector },
      }),
  };
}

describe("the index of an embedder's vectors", () => {
  it.each([
    "ollama/nomic-embed-text:latest",
    "hub/huggingface.co/e.five",
    "own/it's :profile",
    "own/c:\\e.bin",
  ])("is that of the embedder %s", async (id) => {
    const opened = await openProfile(id);
    const record = await opened.add();
    await opened.save(opened.entry(record, NEAR));
    const found = await database.inSystem((session) =>
      session.all(
        IndexRow,
        `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index
           WHERE indrelid = 'embeddings'::regclass AND indpred IS NOT NULL`,
      ),
    );
    const literal = id.replaceAll("'", "''");
    expect(found.filter(({ condition }) => condition.includes(`'${literal}'::text`))).toHaveLength(1);
    expect(await opened.load(record)).toEqual(new Map([[record.id, NEAR]]));
    expect((await opened.find(NEAR))?.byMeaning).toMatchObject([
      { record: { id: record.id }, similarity: 1 },
    ]);
  });
});

describe("a vector of a text that another process has changed meanwhile", () => {
  it("replaces none of the present text", async () => {
    const opened = await openProfile();
    const before = await opened.add();
    const after = await opened.edit(before, { content: "Plum jam" });
    await opened.save(opened.entry(after, NEAR));
    const stored = await opened.stored(before.id);
    await opened.save(opened.entry(before, FAR));
    expect(await opened.stored(before.id)).toEqual(stored);
    expect(await opened.load(after)).toEqual(new Map([[before.id, NEAR]]));
    expect(await opened.load(before)).toEqual(new Map());
  });

  it("is not stored while that of the present text is missing", async () => {
    const opened = await openProfile();
    const before = await opened.add();
    await opened.edit(before, { tags: ["cellar"] });
    await opened.save(opened.entry(before, FAR));
    expect(await opened.stored(before.id)).toBeUndefined();
  });

  it("is not searched again", async () => {
    const opened = await openProfile();
    const before = await opened.add();
    await opened.save(opened.entry(before, FAR));
    await opened.edit(before, { content: "Plum jam" });
    await opened.load(before);
    expect(await opened.stored(before.id)).toMatchObject({ is_searched: false });
  });
});

describe("a list of vectors", () => {
  it("is stored if it has a memory twice", async () => {
    const opened = await openProfile();
    const before = await opened.add();
    const after = await opened.edit(before, { content: "Plum jam" });
    await opened.save(opened.entry(after, NEAR), opened.entry(before, FAR), opened.entry(after, NEAR));
    expect(await opened.load(after)).toEqual(new Map([[before.id, NEAR]]));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 70_000])(
    "is stored without one that has the number %d, which the database cannot search",
    async (number) => {
      const opened = await openProfile();
      const [good, bad] = [await opened.add(), await opened.add()];
      await opened.save(opened.entry(good, NEAR), opened.entry(bad, Float32Array.of(number, 0, 0, 0)));
      expect(await opened.load(good, bad)).toEqual(new Map([[good.id, NEAR]]));
    },
  );
});
