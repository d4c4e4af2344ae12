import { z } from "zod";
import type { Database } from "../database/open-database.ts";

/** Vectors of one kind as they are stored together. */
export interface VectorChunk {
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
export interface StoredChunks {
  /** Whether there are more vectors than `count`. */
  isMoreThan(count: number): boolean;
  /** The first chunk after a number; undefined if none is left. */
  after(chunk: number): VectorChunk | undefined;
}

export function openStoredChunks(database: Database, { number }: { number: number }): StoredChunks {
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
