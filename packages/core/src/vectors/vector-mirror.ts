import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { yieldToEventLoop } from "../async/yield-to-event-loop.ts";
import { openChangeLog } from "./change-log.ts";
import type { EntryFilter } from "./entry-facts.ts";
import { FILTER, filterParameters } from "./entry-table.ts";
import { fineOf, toCoarse } from "./quantise.ts";
import { openByteRows } from "./scan/byte-rows.ts";
import type { ByteRows } from "./scan/byte-rows.ts";
import { createResidentVectors } from "./scan/resident-vectors.ts";
import type { Among, ResidentVectors } from "./scan/resident-vectors.ts";

/** From so many vectors on they are searched in memory: fewer are quick enough to scan on disk, and cost no memory. */
export const MIN_RESIDENT_VECTORS = 5_000;
/**
 * How long vectors are read before others get their turn, in milliseconds. Meanwhile searches scan the table, which takes
 * far longer, so reading takes as much of the thread as they do: it is soon over, and they take twice as long at most.
 */
const SHORTEST_MS = 5;
const LONGEST_MS = 60;
const PAGE = 100;

/**
 * An embedder's vectors in memory, in step with its table whoever changes that. They are read in the background: when
 * that is asked for, at the first search, and after the log of changes was left too far behind.
 */
export interface VectorMirror {
  /** Begins to read them, so that the first search finds them. */
  prepare(): void;
  /**
   * The items nearest to a vector, by their coarse forms. Undefined as long as the table has to be searched itself:
   * because it is small, or still being read, or this machine cannot. Throws what reading it met since the last call.
   */
  nearest(vector: Float32Array, k: number, filter: EntryFilter): number[] | undefined;
  /** Resolves when nothing is being read (any more). Never rejects. */
  settled(): Promise<void>;
}

export interface MirrorOptions {
  least?: number;
  /** Undefined where vectors cannot be scanned in memory. */
  openRows?: (dimensions: number) => ByteRows | undefined;
}

/** Mirrors the tables of the embedder that is registered under `number` (`vector-tables.ts`). */
export function openVectorMirror(
  database: Database,
  { number, dimensions }: { number: number; dimensions: number },
  { least = MIN_RESIDENT_VECTORS, openRows = openByteRows }: MirrorOptions = {},
): VectorMirror {
  const fine = `fine_vectors_${number}`;
  const log = openChangeLog(database);
  const atLeast = database.query(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ${fine} LIMIT ${least})`,
    z.object({ count: z.int() }),
  );
  const Row = z.object({ item: z.int(), kind: z.string(), vector: z.instanceof(Buffer) });
  const COLUMNS = `SELECT item, entries.kind, ${fine}.vector FROM ${fine} JOIN entries USING (item)`;
  const page = database.query(`${COLUMNS} WHERE item > ? ORDER BY item LIMIT ${PAGE}`, Row);
  const one = database.query(`${COLUMNS} WHERE item = ?`, Row);
  const filtered = database.query(
    `SELECT json_group_array(item) AS items FROM entries WHERE ${FILTER}`,
    z.object({ items: z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text))) }),
  );

  let resident: { vectors: ResidentVectors; seen: number } | undefined;
  let reading: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  let isPossible = true;

  function put(vectors: ResidentVectors, { item, kind, vector }: z.infer<typeof Row>): boolean {
    isPossible &&= vectors.put(item, kind, fineOf(vector));
    return isPossible;
  }

  /** Reads until the slice is over; the last item, undefined at the end of the table. */
  function readSlice(vectors: ResidentVectors, after: number, sliceMs: number): number | undefined {
    const start = performance.now();
    let last = after;
    do {
      const rows = page.all(last);
      for (const row of rows) if (!put(vectors, row)) return undefined;
      last = rows.at(-1)?.item ?? last;
      if (rows.length < PAGE) return undefined;
    } while (performance.now() - start < sliceMs);
    return last;
  }

  async function read(): Promise<void> {
    const rows = openRows(dimensions);
    if (!rows) {
      isPossible = false;
      return;
    }
    const vectors = createResidentVectors(rows);
    // What changes from here on is in the log, and read once more.
    const seen = log.last();
    for (let next: number | undefined = 0; next !== undefined;) {
      const othersMs = await yieldToEventLoop();
      if (!database.connection.open) return;
      next = readSlice(vectors, next, Math.min(Math.max(SHORTEST_MS, othersMs), LONGEST_MS));
    }
    if (isPossible) resident = { vectors, seen };
  }

  function startReading(): void {
    if (reading || !isPossible || (atLeast.get()?.count ?? 0) < least) return;
    reading = read()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        reading = undefined;
      });
  }

  /** The vectors as they are now. */
  function current(): ResidentVectors | undefined {
    if (!resident) return undefined;
    const { vectors, seen } = resident;
    // Until it is in step again.
    resident = undefined;
    const changes = log.since(number, seen);
    if (!changes) return undefined;
    for (const item of changes.items) {
      const row = one.get(item);
      if (!row) vectors.remove(item);
      else if (!put(vectors, row)) return undefined;
    }
    resident = { vectors, seen: changes.last };
    return vectors;
  }

  function among(filter: EntryFilter): Among {
    const { kinds, since, until, tags = [] } = filter;
    if (since === undefined && until === undefined && tags.length === 0) return { kinds };
    return { items: new Set(filtered.get(filterParameters(filter))?.items) };
  }

  return {
    prepare: startReading,
    nearest(vector, k, filter) {
      if (failure) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (reading) return undefined;
      const vectors = current();
      if (!vectors) startReading();
      return vectors?.nearest(toCoarse(vector), k, among(filter));
    },
    settled: async () => {
      await reading;
    },
  };
}
