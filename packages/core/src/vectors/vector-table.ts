import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { isRecord } from "../text/is-record.ts";
import { openChangeLog } from "./change-log.ts";
import { checkDimensions } from "./vector-math.ts";
import type { EntryFilter } from "./entry-facts.ts";
import { type EntryTable, FILTER, filterParameters, openItemIds } from "./entry-table.ts";
import { fineOf, fineSimilarity, fromFine, toCoarse, toFine } from "./quantize.ts";
import type { VectorEntry, VectorMatch } from "./vector-index.ts";
import type { VectorMirror } from "./vector-mirror.ts";

/**
 * The number of candidates from the coarse scan to compare in the fine form: at least this many, and this many extra.
 */
const MIN_COMPARED = 70;
const OVERSAMPLING = 20;
/** The limit of sqlite-vec. */
const MAX_NEIGHBORS = 4_096;

/** A match with the number of its entry instead of its id. */
export interface FoundByVector extends Omit<VectorMatch, "id"> {
  item: number;
}

interface VectorSearch {
  limit: number;
  filter: EntryFilter;
  /** The items to compare while many vectors are still being read into memory, so that no search waits for that. */
  meanwhile?: readonly number[];
}

/** Checked by hand, as a hundred are read for each search. */
const FineRow = z.custom<{ item: number; vector: Buffer }>(
  (row: unknown) => isRecord(row) && typeof row["item"] === "number" && Buffer.isBuffer(row["vector"]),
);

/**
 * The vectors of one embedder in sqlite-vec, searched in memory once there are many; synchronous, for use in a worker.
 * Callers open transactions for writes and search outside of them.
 */
export interface VectorTable {
  /** The number of the embedder; each embedder has its own tables. */
  readonly embedder: number;
  /** Prepares for searches in the background. */
  prepare(): void;
  put(entry: VectorEntry): void;
  /** Stores the vector of an entry that exists and is of this kind. */
  setVector(item: number, kind: string, vector: Float32Array): void;
  remove(item: number): void;
  /** Moves an entry's vector, if it has one, to another kind. */
  move(item: number, kind: string): void;
  /** The stored vector of an entry. */
  vectorOf(item: number): Float32Array | undefined;
  /** The nearest entries by their numbers, nearest first. */
  find(vector: Float32Array, options: VectorSearch): FoundByVector[];
  /** The same with their ids. */
  nearest(vector: Float32Array, options: VectorSearch): VectorMatch[];
  count(): number;
}

/** Opens the tables of the embedder with this number (`vector-tables.ts`). */
export function openVectorTable(
  database: Database,
  entries: EntryTable,
  { number, dimensions, mirror }: { number: number; dimensions: number; mirror: VectorMirror },
): VectorTable {
  const log = openChangeLog(database);
  const coarse = `vectors_${number}`;
  const fine = `fine_vectors_${number}`;
  const removeCoarse = database.command(`DELETE FROM ${coarse} WHERE rowid = ?`);
  const addCoarse = database.command(
    `INSERT INTO ${coarse} (rowid, kind, vector) VALUES (?, ?, vec_int8(?))`,
  );
  const removeFine = database.command(`DELETE FROM ${fine} WHERE item = ?`);
  const addFine = database.command(`INSERT INTO ${fine} (item, vector) VALUES (?, ?)`);
  const coarseOf = database.query(
    `SELECT vector FROM ${coarse} WHERE rowid = ?`,
    z.object({ vector: z.instanceof(Buffer) }),
  );
  const count = database.query(`SELECT count(*) AS count FROM ${fine}`, z.object({ count: z.int() }));
  const stored = prepareStoredSearch(database, { coarse, fine });
  const idsOf = openItemIds(database);
  const vectorOf = database.query(
    `SELECT vector FROM ${fine} WHERE item = ?`,
    z.object({ vector: z.instanceof(Buffer) }),
  );

  /** Deletes a vector. Returns whether it existed. Each has both forms. */
  function deleteVector(item: number): boolean {
    const existed = removeFine.run(item).changes > 0;
    if (existed) removeCoarse.run(BigInt(item));
    return existed;
  }

  function setVector(item: number, kind: string, vector: Float32Array): void {
    checkDimensions(vector, dimensions);
    deleteVector(item);
    addCoarse.run(BigInt(item), kind, asBlob(toCoarse(vector)));
    addFine.run(item, asBlob(toFine(vector)));
    log.add(number, item);
  }

  function find(vector: Float32Array, { limit, filter, meanwhile = [] }: VectorSearch): FoundByVector[] {
    checkDimensions(vector, dimensions);
    const k = Math.min(Math.max(limit + OVERSAMPLING, MIN_COMPARED), MAX_NEIGHBORS);
    const near = mirror.nearest(vector, k, filter, limit);
    const known = near && mirror.similarities(vector, near);
    const found = known
      ? near.map((item, index) => ({ item, similarity: known[index] ?? 0 }))
      : stored.similarities(
          vector,
          near ??
            (meanwhile.length > 0 && mirror.isReadingMany() ? meanwhile : stored.scan(vector, k, filter)),
        );
    return found.sort((a, b) => b.similarity - a.similarity || a.item - b.item).slice(0, limit);
  }

  return {
    embedder: number,
    prepare: () => mirror.prepare(),
    put({ id, facts, vector }) {
      checkDimensions(vector, dimensions);
      setVector(entries.put(id, facts), facts.kind, vector);
    },
    setVector,
    remove(item) {
      if (deleteVector(item)) log.add(number, item);
    },
    move(item, kind) {
      const known = coarseOf.get(BigInt(item));
      if (!known) return;
      removeCoarse.run(BigInt(item));
      addCoarse.run(BigInt(item), kind, known.vector);
      log.add(number, item);
    },
    vectorOf(item) {
      const row = vectorOf.get(item);
      return row && fromFine(fineOf(row.vector));
    },
    find,
    nearest(vector, options) {
      const found = find(vector, options);
      const ids = idsOf(found.map(({ item }) => item));
      return found
        .flatMap(({ item, similarity }): VectorMatch[] => {
          const id = ids.get(item);
          return id === undefined ? [] : [{ id, similarity }];
        })
        .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
    },
    count: () => count.get()?.count ?? 0,
  };
}

/** Prepares searches of the tables with the coarse and the fine forms of the vectors. */
function prepareStoredSearch(database: Database, { coarse, fine }: { coarse: string; fine: string }) {
  const prepareNearest = (condition: string) =>
    database.query(
      `SELECT rowid AS item, distance FROM ${coarse} WHERE vector MATCH vec_int8(:vector) AND k = :k ${condition}`,
      z.object({ item: z.int(), distance: z.number() }),
    );
  const unfiltered = prepareNearest("");
  const ofKind = prepareNearest("AND kind = :kind");
  const filtered = prepareNearest(`AND rowid IN (SELECT item FROM entries WHERE ${FILTER})`);
  const fineFormsOf = database.query(
    `SELECT item, vector FROM ${fine} WHERE item IN (SELECT value FROM json_each(?))`,
    FineRow,
  );

  function neighbors(vector: Buffer, k: number, filter: EntryFilter): { item: number; distance: number }[] {
    if (filter.since !== undefined || filter.until !== undefined || (filter.tags?.length ?? 0) > 0) {
      return filtered.all({ vector, k, ...filterParameters(filter) });
    }
    if (filter.kinds === undefined) return unfiltered.all({ vector, k });
    // Each kind is a partition, so other kinds are not read.
    return filter.kinds.flatMap((kind) => ofKind.all({ vector, k, kind }));
  }

  return {
    /** The `k` items nearest by their coarse forms, nearest first. */
    scan: (vector: Float32Array, k: number, filter: EntryFilter): number[] =>
      neighbors(asBlob(toCoarse(vector)), k, filter)
        .sort((a, b) => a.distance - b.distance)
        .slice(0, k)
        .map(({ item }) => item),
    /** The cosines of a vector and the fine forms of some items. */
    similarities: (vector: Float32Array, items: readonly number[]): FoundByVector[] =>
      fineFormsOf
        .all(JSON.stringify(items))
        .map((row) => ({ item: row.item, similarity: fineSimilarity(vector, fineOf(row.vector)) })),
  };
}

function asBlob(numbers: Int8Array | Int16Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
