import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Integers } from "../database/rows.ts";
import type { Database } from "../database/open-database.ts";
import { yieldToEventLoop } from "../async/yield-to-event-loop.ts";
import { openChangeLog } from "./change-log.ts";
import type { EntryFilter } from "./entry-facts.ts";
import { FILTER, filterParameters } from "./entry-table.ts";
import { fineOf } from "./quantize.ts";
import {
  createResidentVectors,
  MAX_FINE,
  type ResidentSearch,
  type ResidentVectors,
} from "./scan/resident-vectors.ts";
import { openVectorRows, type VectorRows } from "./scan/vector-rows.ts";

/** The number of vectors from which search runs in memory; fewer are scanned on disk as fast. */
const MIN_RESIDENT_VECTORS = 250;
/** The number of vectors from which no search should scan the table, because that takes long. */
const MANY_VECTORS = 5_000;
/**
 * From this number of vectors on, half a byte is kept for each number: that saves 300 MB of a million vectors. Fewer take less
 * than 180 MB in bytes, which can be searched as soon as they are read, before their bits are computed.
 */
const MIN_PACKED_VECTORS = 250_000;
/** How many more items are returned then, because the packed order is less exact: without them, 2 of the 50 nearest are missed. */
const PACKED_OVERSAMPLING = 50;
/**
 * The time to read vectors before yielding to the event loop, in milliseconds. Searches scan the table meanwhile, which is
 * slower. Reading takes as much time as other work took, so it ends soon and at most doubles the time of a search.
 */
const MIN_SLICE_MS = 5;
const MAX_SLICE_MS = 60;
const PAGE = 100;
/** The time before reading begins, in milliseconds, so that the search that asks for it, often the first, is answered first. */
const READ_DELAY_MS = 50;

/**
 * A copy of an embedder's vectors in memory, kept up to date with its table. Reads the vectors in the background: on
 * `prepare`, at the first search, and when it is too far behind the change log.
 */
export interface VectorMirror {
  /** Starts reading unless the vectors are in memory, so that they are ready for the first search. */
  prepare(): void;
  /**
   * The `k` items nearest to a vector, by their coarse forms, and some more while these are packed; with hardly an exception,
   * the first `certain` are those of a comparison with all. Undefined if the caller has to search the table: it is small or
   * still being read, or this machine lacks support. Throws an error of the background read.
   */
  nearest(vector: Float32Array, k: number, filter: EntryFilter, certain?: number): number[] | undefined;
  /** The exact cosines of items that `nearest` has just returned; undefined if they have to be read from the table. */
  similarities(vector: Float32Array, items: readonly number[]): Float64Array | undefined;
  /** Whether the vectors are being read, and are too many for a fast search of the table. */
  isReadingMany(): boolean;
  /** Resolves when no read is in progress. Never rejects. */
  settled(): Promise<void>;
}

export interface MirrorOptions {
  /** Fewer vectors than this are scanned on disk. Default: `MIN_RESIDENT_VECTORS`. */
  minResident?: number;
  /** From this number of vectors on, scanning the table takes long. Default: `MANY_VECTORS`. */
  manyVectors?: number;
  /** More vectors than this are read in chunks, because their fine forms are not kept. */
  chunked?: number;
  /** At least this many vectors are packed when they are read. Default: `MIN_PACKED_VECTORS`. */
  minPacked?: number;
  /** Returns undefined if this machine cannot scan vectors in memory. */
  openRows?: (dimensions: number, options: { isPacked: boolean }) => VectorRows | undefined;
}

/** Mirrors the tables of the embedder with this number (`vector-tables.ts`). */
export function openVectorMirror(
  database: Database,
  { number, dimensions }: { number: number; dimensions: number },
  {
    minResident = MIN_RESIDENT_VECTORS,
    manyVectors = MANY_VECTORS,
    chunked = MAX_FINE,
    minPacked = MIN_PACKED_VECTORS,
    openRows = openVectorRows,
  }: MirrorOptions = {},
): VectorMirror {
  const log = openChangeLog(database);
  const table = openFineVectors(database, number);
  const chunks = openStoredChunks(database, { number });
  const scopeOf = openScopes(database);

  let loaded: { vectors: ResidentVectors; isPacked: boolean; seen: number } | undefined;
  let reading: Promise<void> | undefined;
  /** Whether vectors are missing in what is being read; bits may still be. */
  let isIncomplete = false;
  let failure: { error: unknown } | undefined;
  let isSupported = true;

  function put(vectors: ResidentVectors, { item, kind, vector }: FineVector): boolean {
    isSupported &&= vectors.put(item, kind, fineOf(vector));
    return isSupported;
  }

  /** Reads some vectors after an item. Returns the last item, undefined at the end of the table. */
  function readPage(vectors: ResidentVectors, after: number): number | undefined {
    const rows = table.pageAfter(after);
    for (const row of rows) if (!put(vectors, row)) return undefined;
    return rows.length < PAGE ? undefined : rows.at(-1)?.item;
  }

  /** The same for the vectors of the next chunk. */
  function readChunk(vectors: ResidentVectors, after: number): number | undefined {
    const found = chunks.after(after);
    if (!found) return undefined;
    isSupported &&= vectors.putCoarse(found.items, found.kind, found.coarse);
    return isSupported ? found.chunk : undefined;
  }

  async function read(): Promise<void> {
    const isPacked = chunks.isMoreThan(minPacked - 1);
    const rows = openRows(dimensions, { isPacked });
    if (!rows) {
      isSupported = false;
      return;
    }
    await delay(READ_DELAY_MS);
    if (!database.connection.open) return;
    const vectors = createResidentVectors(rows);
    // Later changes are in the log and are applied afterwards.
    const seen = log.last();
    const readSome = chunks.isMoreThan(chunked) ? readChunk : readPage;
    let next: number | undefined = 0;
    const isOpen = await inSlices(database, () => {
      next = readSome(vectors, next ?? 0);
      return next !== undefined;
    });
    if (!isOpen || !isSupported) return;
    loaded = { vectors, isPacked, seen };
    isIncomplete = false;
    await inSlices(database, () => loaded?.vectors === vectors && vectors.encodeSome());
  }

  function startReading(): void {
    if (reading || !isSupported || table.countUpTo(minResident) < minResident) return;
    isIncomplete = true;
    reading = read()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        reading = undefined;
        isIncomplete = false;
      });
  }

  /** The up-to-date vectors; undefined if they have to be read. */
  function current(): ResidentVectors | undefined {
    if (!loaded) return undefined;
    const { vectors, isPacked, seen } = loaded;
    // Unset until all changes are applied.
    loaded = undefined;
    const changes = log.since(number, seen);
    if (!changes) return undefined;
    for (const item of changes.items) {
      const row = table.get(item);
      if (!row) vectors.remove(item);
      else if (!put(vectors, row)) return undefined;
    }
    loaded = { vectors, isPacked, seen: changes.last };
    return vectors;
  }

  return {
    prepare() {
      if (!loaded) startReading();
    },
    nearest(vector, k, filter, certain = k) {
      if (failure) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (isIncomplete) return undefined;
      const vectors = current();
      if (!vectors) startReading();
      const more = loaded?.isPacked === true ? PACKED_OVERSAMPLING : 0;
      return vectors?.nearest(vector, { k: k + more, certain, ...scopeOf(filter) });
    },
    similarities: (vector, items) => loaded?.vectors.similarities(vector, items),
    isReadingMany: () => isIncomplete && table.lastItem() >= manyVectors,
    settled: async () => {
      await reading;
    },
  };
}

const FineVector = z.object({ item: z.int(), kind: z.string(), vector: z.instanceof(Buffer) });
type FineVector = z.infer<typeof FineVector>;

interface FineVectors {
  /** The number of vectors, counted up to a limit. */
  countUpTo(limit: number): number;
  /** About the number of vectors: counting all of them takes as long as a search. */
  lastItem(): number;
  /** At most `PAGE` vectors with larger items, in the order of items. */
  pageAfter(item: number): FineVector[];
  get(item: number): FineVector | undefined;
}

function openFineVectors(database: Database, number: number): FineVectors {
  const fine = `fine_vectors_${number}`;
  const columns = `SELECT item, entries.kind, ${fine}.vector FROM ${fine} JOIN entries USING (item)`;
  const count = database.query(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ${fine} LIMIT ?)`,
    z.object({ count: z.int() }),
  );
  const last = database.query(
    `SELECT coalesce(max(item), 0) AS item FROM ${fine}`,
    z.object({ item: z.int() }),
  );
  const page = database.query(`${columns} WHERE item > ? ORDER BY item LIMIT ${PAGE}`, FineVector);
  const one = database.query(`${columns} WHERE item = ?`, FineVector);
  return {
    countUpTo: (limit) => count.get(limit)?.count ?? 0,
    lastItem: () => last.get()?.item ?? 0,
    pageAfter: (item) => page.all(item),
    get: (item) => one.get(item),
  };
}

/** Kinds are filtered in memory; for times and tags, the database selects the items. */
function openScopes(database: Database): (filter: EntryFilter) => Pick<ResidentSearch, "kinds" | "items"> {
  const filtered = database.query(
    `SELECT json_group_array(item) AS items FROM entries WHERE ${FILTER}`,
    z.object({ items: Integers }),
  );
  return (filter) => {
    const { kinds, since, until, tags = [] } = filter;
    if (since === undefined && until === undefined && tags.length === 0) return { kinds };
    return { items: new Set(filtered.get(filterParameters(filter))?.items) };
  };
}

/** Calls `work` in slices until it returns false or the database is closed; returns whether the database is open. */
async function inSlices(database: Database, work: () => boolean): Promise<boolean> {
  for (let isDone = false; !isDone;) {
    const elapsedMs = await yieldToEventLoop();
    if (!database.connection.open) return false;
    const end = performance.now() + Math.min(Math.max(MIN_SLICE_MS, elapsedMs), MAX_SLICE_MS);
    do isDone = !work();
    while (!isDone && performance.now() < end);
  }
  return true;
}

/** Vectors of one kind as they are stored together. */
interface VectorChunk {
  /** The number of the chunk; those of later ones are greater. */
  chunk: number;
  kind: string;
  /** The item at each place; 0 where a vector was removed or none is stored yet. */
  items: Uint32Array;
  /** The coarse forms, one place after the other. */
  coarse: Int8Array;
}

const ROW_ID_BYTES = 8;

/**
 * Reads the coarse vectors of an embedder in the chunks in which sqlite-vec (0.1) stores them: row by row takes five times the
 * processor time.
 */
interface StoredChunks {
  /** Whether there are more vectors than `count`. */
  isMoreThan(count: number): boolean;
  /** The first chunk after a number; undefined if none is left. */
  after(chunk: number): VectorChunk | undefined;
}

function openStoredChunks(database: Database, { number }: { number: number }): StoredChunks {
  const table = `vectors_${number}`;
  const next = database.query(
    `SELECT chunk_id AS chunk, partition00 AS kind, validity, rowids, vectors FROM ${table}_chunks
     JOIN ${table}_vector_chunks00 AS stored ON stored._rowid_ = chunk_id WHERE chunk_id > ? ORDER BY chunk_id LIMIT 1`,
    z.object({
      chunk: z.int(),
      kind: z.string(),
      validity: z.instanceof(Buffer),
      rowids: z.instanceof(Buffer),
      vectors: z.instanceof(Buffer),
    }),
  );
  const upTo = database.query(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ${table}_rowids LIMIT ?)`,
    z.object({ count: z.int() }),
  );
  function chunkAfter(last: number): VectorChunk | undefined {
    const row = next.get(last);
    if (!row) return undefined;
    const { chunk, kind, validity, rowids, vectors } = row;
    const items = Uint32Array.from({ length: rowids.length / ROW_ID_BYTES }, (_, place) =>
      // Items have fewer than 32 bits, so the lower half is the whole number.
      ((validity[place >> 3] ?? 0) >> (place & 7)) & 1 ? rowids.readUInt32LE(place * ROW_ID_BYTES) : 0,
    );
    return { chunk, kind, items, coarse: new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length) };
  }

  return { isMoreThan: (count) => (upTo.get(count + 1)?.count ?? 0) > count, after: chunkAfter };
}
