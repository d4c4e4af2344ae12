import fc from "fast-check";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getLoadablePath } from "sqlite-vec";
import { afterEach, describe, expect, it } from "vitest";
import { openDatabase, type Database } from "../database/open-database.ts";
import { memoryIndexMigrations } from "../memory/index/schema.ts";
import { openEntryTable } from "./entry-table.ts";
import { createExactVectorIndex } from "./exact-vector-index.ts";
import { openVectorRows } from "./scan/vector-rows.ts";
import type { VectorEntry, VectorIndex, VectorMatch } from "./vector-index.ts";
import { describeVectorIndex } from "./vector-index.suite.ts";
import { normalizeVector } from "./vector-math.ts";
import { openVectorMirror, type MirrorOptions, type VectorMirror } from "./vector-mirror.ts";
import { openVectorTable, type VectorTable } from "./vector-table.ts";
import { openVectorTables } from "./vector-tables.ts";

interface Opened {
  database: Database;
  table: VectorTable;
  mirror: VectorMirror;
  index: VectorIndex;
}

const DIMENSIONS = 24;
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "metahuman-vectors-"));
  cleanUp.push(() => rm(folder, { recursive: true }));
  return join(folder, "memory.db");
}

function open(path: string, dimensions = DIMENSIONS, options: MirrorOptions = {}): Opened {
  const database = openDatabase(path, memoryIndexMigrations, {
    title: "vectors",
    extensions: [getLoadablePath()],
  });
  cleanUp.push(async () => database.close());
  const entries = openEntryTable(database);
  const { embedder } = openVectorTables(database, entries).of({ id: "test", dimensions }).table;
  const mirror = openVectorMirror(database, { number: embedder, dimensions }, { minResident: 0, ...options });
  const table = openVectorTable(database, entries, { number: embedder, dimensions, mirror });
  return { database, table, mirror, index: indexOf(database, table, mirror, dimensions) };
}

/** Searches once to have the vectors read, and again when they are. */
function indexOf(
  database: Database,
  table: VectorTable,
  mirror: VectorMirror,
  dimensions: number,
): VectorIndex {
  const entries = openEntryTable(database);
  return {
    dimensions,
    put: async (added) => database.transaction(() => added.forEach((entry) => table.put(entry))),
    remove: async (ids) =>
      database.transaction(() => ids.forEach((id) => table.remove(entries.itemOf(id) ?? -1))),
    async nearest(vector, { limit, filter = {} }) {
      table.nearest(vector, { limit, filter });
      await mirror.settled();
      return table.nearest(vector, { limit, filter });
    },
    count: async () => table.count(),
  };
}

/** Directions that the fine form distinguishes, so that every correct search returns them in the same order. */
const vectors = fc
  .array(fc.integer({ min: -40, max: 40 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((numbers) => normalizeVector(Float32Array.from(numbers, (number) => number || 1)));
const ids = fc.integer({ min: 0, max: 400 }).map((number) => `entry-${number}`);
const facts = { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] };
const entries = fc.record({ id: ids, vector: vectors }).map((entry): VectorEntry => ({ ...entry, facts }));

const namesOf = (matches: readonly VectorMatch[]): string[] => matches.map(({ id }) => id);

function axis(index: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector[index] = 1;
  return vector;
}

describeVectorIndex("sqlite-vec, searched in memory", async (dimensions) => {
  const { index, database } = open(await newFile(), dimensions);
  return { index, close: async () => database.close() };
});

describeVectorIndex("sqlite-vec, searched in packed form", async (dimensions) => {
  const { index, database } = open(await newFile(), dimensions, { minPacked: 0 });
  return { index, close: async () => database.close() };
});

describeVectorIndex("sqlite-vec, read in chunks and searched in memory", async (dimensions) => {
  const { index, database } = open(await newFile(), dimensions, { chunked: 0 });
  return { index, close: async () => database.close() };
});

describe("vectors in memory", () => {
  it("are the same whether they are read in chunks or one by one, after removals and changes of kind", async () => {
    const path = await newFile();
    const { database, table, index } = open(path);
    const kinds = ["observation", "pattern"];
    // More than a chunk of sqlite-vec of each kind.
    const vectorOf = (number: number): Float32Array =>
      normalizeVector(
        Float32Array.from({ length: DIMENSIONS }, (_, at) => ((number * (at + 3) * 37) % 81) - 40),
      );
    await index.put(
      Array.from({ length: 1_200 }, (_, number) => ({
        id: `entry-${number}`,
        facts: { ...facts, kind: kinds[number % 2] ?? "" },
        vector: vectorOf(number),
      })),
    );
    await index.remove(Array.from({ length: 300 }, (_, place) => `entry-${place * 4}`));
    database.transaction(() => {
      database.exec("UPDATE entries SET kind = 'pattern' WHERE item < 200 AND item % 8 = 3");
      for (let item = 3; item < 200; item += 8) table.move(item, "pattern");
    });
    const search = async (options: MirrorOptions) => {
      const { mirror } = open(path, DIMENSIONS, options);
      mirror.prepare();
      await mirror.settled();
      return [1, 400, 902].flatMap((number) =>
        [{}, { kinds: ["pattern"] }].map((filter) =>
          mirror.nearest(vectorOf(number), 1_000, filter)?.toSorted((one, other) => one - other),
        ),
      );
    };
    const found = await search({ chunked: 0 });
    expect(found).toEqual(await search({ chunked: 10_000 }));
    expect(found.map((items) => items?.length)).toEqual([900, 625, 900, 625, 900, 625]);
  });

  it("follow changes after they were read in chunks, without fine forms", async () => {
    const path = await newFile();
    const { index } = open(path);
    await index.put([0, 1, 2].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    const other = open(path, DIMENSIONS, { chunked: 0 });
    other.mirror.prepare();
    await other.mirror.settled();
    await index.put([{ id: "axis 1", facts, vector: axis(7) }]);
    await index.remove(["axis 2"]);
    expect(other.mirror.nearest(axis(7), 1, {})).toEqual([2]);
    expect(other.mirror.nearest(axis(7), 9, {})).toHaveLength(2);
    expect(other.mirror.similarities(axis(7), [2])).toBeUndefined();
  });

  it("compare only the given entries while all are being read, and all of them afterwards", async () => {
    const { table, mirror, database } = open(await newFile(), DIMENSIONS, { manyVectors: 8 });
    const items = openEntryTable(database);
    database.transaction(() => {
      for (let index = 0; index < 8; index += 1)
        table.put({ id: `entry-${index}`, facts, vector: axis(index) });
    });
    const meanwhile = [items.itemOf("entry-5") ?? -1, items.itemOf("entry-6") ?? -1];
    const search = (given?: number[]): string[] =>
      namesOf(table.nearest(axis(5), { limit: 1, filter: {}, ...(given && { meanwhile: given }) }));
    mirror.prepare();
    expect(mirror.isReadingMany()).toBe(true);
    expect(search([meanwhile[1] ?? -1])).toEqual(["entry-6"]);
    expect(search(meanwhile)).toEqual(["entry-5"]);
    // Without entries to compare, the table is searched.
    expect(search([])).toEqual(["entry-5"]);
    await mirror.settled();
    expect(search([meanwhile[1] ?? -1])).toEqual(["entry-5"]);
  });

  it("are all compared while they are being read, if there are few", async () => {
    const { table, mirror, database } = open(await newFile(), DIMENSIONS, { manyVectors: 3 });
    database.transaction(() => {
      for (let index = 0; index < 2; index += 1)
        table.put({ id: `entry-${index}`, facts, vector: axis(index) });
    });
    mirror.prepare();
    expect(namesOf(table.nearest(axis(1), { limit: 1, filter: {}, meanwhile: [1] }))).toEqual(["entry-1"]);
    await mirror.settled();
  });

  it("return the results of an exact search after inserts, replacements and removals", async () => {
    const path = await newFile();
    const { database, index, mirror } = open(path);
    let agreed = 0;
    let wanted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ arbitrary: entries, weight: 4 }, { arbitrary: ids, weight: 1 }), {
          minLength: 1,
          maxLength: 300,
        }),
        fc.array(vectors, { minLength: 1, maxLength: 5 }),
        async (steps, queries) => {
          database.exec("DELETE FROM entries");
          database.exec("DELETE FROM vectors_1; DELETE FROM fine_vectors_1");
          database.exec("INSERT INTO vector_changes (embedder, item) VALUES (1, NULL)");
          const exact = createExactVectorIndex(DIMENSIONS);
          for (const [position, step] of steps.entries()) {
            for (const one of [index, exact])
              await (typeof step === "string" ? one.remove([step]) : one.put([step]));
            if (position === Math.floor(steps.length / 2)) await index.nearest(axis(0), { limit: 1 });
          }
          for (const query of queries) {
            const found = await index.nearest(query, { limit: 10 });
            expect(mirror.nearest(query, 1, {})).toBeDefined();
            const right = await exact.nearest(query, { limit: 10 });
            for (const [index, { similarity }] of found.entries())
              expect(similarity).toBeCloseTo(right[index]?.similarity ?? NaN, 3);
            wanted += right.length;
            agreed += namesOf(right).filter((id) => namesOf(found).includes(id)).length;
          }
        },
      ),
      { numRuns: 30 },
    );
    expect(agreed / wanted).toBeGreaterThanOrEqual(0.99);
  });

  it("follow changes of another process to the same file", async () => {
    const path = await newFile();
    const [mine, others] = [open(path), open(path)];
    await mine.index.put([0, 1, 2].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    expect(namesOf(await mine.index.nearest(axis(1), { limit: 1 }))).toEqual(["axis 1"]);

    await others.index.put([{ id: "axis 1", facts, vector: axis(5) }]);
    await others.index.put([{ id: "new", facts: { ...facts, kind: "fact" }, vector: axis(1) }]);
    await others.index.remove(["axis 2"]);
    expect(mine.mirror.nearest(axis(1), 10, {})).toHaveLength(3);
    expect(namesOf(mine.table.nearest(axis(1), { limit: 1, filter: {} }))).toEqual(["new"]);
    expect(namesOf(mine.table.nearest(axis(5), { limit: 1, filter: {} }))).toEqual(["axis 1"]);
    expect(namesOf(mine.table.nearest(axis(1), { limit: 9, filter: { kinds: ["fact"] } }))).toEqual(["new"]);
  });

  it("are unchanged after a rollback", async () => {
    const { database, index, table } = open(await newFile());
    await index.put([{ id: "kept", facts, vector: axis(0) }]);
    await index.nearest(axis(0), { limit: 1 });
    expect(() =>
      database.transaction(() => {
        table.put({ id: "kept", facts, vector: axis(1) });
        table.put({ id: "never", facts, vector: axis(2) });
        throw new RangeError("no");
      }),
    ).toThrow(RangeError);
    await index.put([{ id: "after", facts, vector: axis(3) }]);
    expect(table.nearest(axis(0), { limit: 2, filter: {} })).toMatchObject([
      { id: "kept", similarity: 1 },
      { id: "after", similarity: 0 },
    ]);
  });

  it("are read again if the log is too short, and for another embedder", async () => {
    const { database, index, mirror } = open(await newFile());
    const put = (count: number, vector: Float32Array): Promise<void> =>
      index.put(Array.from({ length: count }, (_, index) => ({ id: `entry-${index % 50}`, facts, vector })));
    await put(50, axis(0));
    await index.nearest(axis(0), { limit: 1 });
    await put(6_000, axis(1));
    expect(mirror.nearest(axis(1), 1, {})).toBeUndefined();
    await mirror.settled();
    expect(mirror.nearest(axis(1), 50, {})).toHaveLength(50);

    const tables = openVectorTables(database, openEntryTable(database));
    database.transaction(() => tables.keepOnly([]));
    database.transaction(() => tables.of({ id: "another", dimensions: DIMENSIONS }));
    await index.put([{ id: "new", facts, vector: axis(2) }]);
    expect(namesOf(await index.nearest(axis(1), { limit: 9 }))).toEqual(["new"]);
    expect(mirror.nearest(axis(1), 50, {})).toHaveLength(1);
  });

  it("keep the remaining ones after removals", async () => {
    const { index, mirror } = open(await newFile());
    await index.put(
      Array.from({ length: 20 }, (_, index) => ({ id: `axis ${index}`, facts, vector: axis(index) })),
    );
    await index.nearest(axis(0), { limit: 1 });
    await index.remove(["axis 0", "axis 7", "axis 18", "axis 19"]);
    // Items are numbered from 1 in the order they came.
    for (const at of [1, 6, 8, 17]) expect(mirror.nearest(axis(at), 1, {})).toEqual([at + 1]);
    expect(mirror.nearest(axis(19), 99, {})).toHaveLength(16);
  });

  it("are read before the first search on prepare", async () => {
    const path = await newFile();
    await open(path).index.put([0, 1].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    const { mirror } = open(path);
    mirror.prepare();
    await mirror.settled();
    expect(mirror.nearest(axis(1), 2, {})).toEqual([2, 1]);
  });

  it("are not read again on prepare", async () => {
    const { index, mirror } = open(await newFile());
    await index.put([0, 1].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    mirror.prepare();
    await mirror.settled();
    mirror.prepare();
    expect(mirror.nearest(axis(1), 2, {})).toEqual([2, 1]);
  });

  it("are not read if there are few", async () => {
    const { index, mirror } = open(await newFile(), DIMENSIONS, { minResident: 3 });
    await index.put([0, 1].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    await index.nearest(axis(0), { limit: 1 });
    expect(mirror.nearest(axis(0), 1, {})).toBeUndefined();
    await index.put([{ id: "third", facts, vector: axis(2) }]);
    await index.nearest(axis(0), { limit: 1 });
    expect(mirror.nearest(axis(2), 3, {})).toHaveLength(3);
  });

  it("are packed if there are many when they are read", async () => {
    const path = await newFile();
    const forms: boolean[] = [];
    const read = async (): Promise<void> => {
      const { mirror } = open(path, DIMENSIONS, {
        minPacked: 2,
        openRows(dimensions, options) {
          forms.push(options.isPacked);
          return openVectorRows(dimensions, options);
        },
      });
      mirror.prepare();
      await mirror.settled();
      expect(mirror.nearest(axis(0), 1, {})?.[0]).toBe(1);
    };
    const { index } = open(path);
    await index.put([{ id: "axis 0", facts, vector: axis(0) }]);
    await read();
    await index.put([{ id: "axis 1", facts, vector: axis(1) }]);
    await read();
    expect(forms).toEqual([false, true]);
  });

  it.each([
    ["there is no SIMD", () => openVectorRows(DIMENSIONS, { code: Uint8Array.of(0) })],
    ["there is no memory for them", () => ({ ...someRows(), reserve: () => false })],
  ])("are searched by sqlite-vec if %s", async (_, openRows) => {
    const { index, mirror } = open(await newFile(), DIMENSIONS, { openRows });
    await index.put([0, 1].map((at) => ({ id: `axis ${at}`, facts, vector: axis(at) })));
    expect(namesOf(await index.nearest(axis(1), { limit: 1 }))).toEqual(["axis 1"]);
    expect(mirror.nearest(axis(1), 1, {})).toBeUndefined();
  });

  it("throw a read error at the next search", async () => {
    const { database, index, table, mirror } = open(await newFile());
    await index.put([{ id: "one", facts, vector: axis(0) }]);
    table.nearest(axis(0), { limit: 1, filter: {} });
    database.exec("DROP TABLE fine_vectors_1");
    await mirror.settled();
    expect(() => mirror.nearest(axis(0), 1, {})).toThrow("fine_vectors_1");
  });
});

function someRows(): NonNullable<ReturnType<typeof openVectorRows>> {
  const rows = openVectorRows(DIMENSIONS);
  if (!rows) throw new Error("this machine has no SIMD");
  return rows;
}
