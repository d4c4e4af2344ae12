import { createHash } from "node:crypto";
import { z } from "zod";
import type { EmbedderFacts } from "@metahuman/core/vectors/embedder";
import type { StoredVectors } from "@metahuman/core/vectors/stored-vectors";
import type { Postgres } from "../open-postgres.ts";
import { meaningIndex } from "./memory-search.ts";

const VectorRow = z.object({
  record_id: z.string(),
  text_hash: z.string(),
  vector: z.string(),
  is_searched: z.boolean(),
});
const IdRow = z.object({ record_id: z.string() });

/** The embedders whose index is there, by database. */
const indexed = new WeakMap<Postgres, Map<string, Promise<unknown>>>();

/**
 * Stores vectors of memories next to their rows; those of a removed memory are removed with it. A database with
 * pgvector can search them, and also stores those of the built-in embedder.
 */
export function openStoredVectors(database: Postgres, profile: string): StoredVectors {
  const extension = database.vectors;
  const meaning = extension ? ", meaning" : "";

  /**
   * Makes vectors searchable that were stored while the database could not search, or whose text was changed and changed
   * back. Leaves out those that another process has replaced since they were read.
   */
  async function addMeanings(
    embedder: EmbedderFacts,
    vectors: ReadonlyMap<string, { hash: string; vector: Float32Array }>,
    schema: string,
  ): Promise<void> {
    await ensureMeaningIndex(database, embedder, schema);
    await database.inProfile(profile, (session) =>
      session.run(
        `UPDATE embeddings SET meaning = given.meaning::${schema}.halfvec
         FROM unnest(:ids::text[], :hashes::text[], :meanings::text[]) AS given(id, hash, meaning)
         WHERE profile = :profile AND embedder = :embedder AND record_id = given.id AND text_hash = given.hash
           AND embeddings.meaning IS NULL`,
        {
          embedder: embedder.id,
          ids: [...vectors.keys()],
          hashes: [...vectors.values()].map(({ hash }) => hash),
          meanings: [...vectors.values()].map(({ vector }) => JSON.stringify([...vector])),
        },
      ),
    );
  }

  return {
    storesBuiltIn: extension !== undefined,
    async load({ id: embedder, dimensions }, texts) {
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          VectorRow,
          `SELECT record_id, text_hash, encode(vector, 'base64') AS vector, ${extension ? "meaning IS NOT NULL" : "true"} AS is_searched
           FROM embeddings WHERE profile = :profile AND embedder = :embedder AND record_id = ANY(:ids)`,
          { embedder, ids: texts.map(({ id }) => id) },
        ),
      );
      const hashes = new Map(texts.map(({ id, text }) => [id, hashOf(text)]));
      const found = new Map<string, Float32Array>();
      const unsearched = new Map<string, { hash: string; vector: Float32Array }>();
      for (const { record_id: id, text_hash: hash, vector, is_searched: isSearched } of rows) {
        const floats = floatsOf(Buffer.from(vector, "base64"));
        if (hashes.get(id) !== hash || floats.length !== dimensions) continue;
        found.set(id, floats);
        if (!isSearched) unsearched.set(id, { hash, vector: floats });
      }
      if (extension && unsearched.size > 0)
        await addMeanings({ id: embedder, dimensions }, unsearched, extension.schema);
      return found;
    },
    async save(embedder, vectors) {
      if (extension) await ensureMeaningIndex(database, embedder, extension.schema);
      const given = vectors.map(({ id, text, vector }) => ({ id, hash: hashOf(text), vector }));
      await database.inProfile(profile, async (session) => {
        // Other processes store the same ones.
        const stored = await session.all(
          IdRow,
          `SELECT record_id FROM embeddings JOIN unnest(:ids::text[], :hashes::text[]) AS given(id, hash)
             ON record_id = given.id AND text_hash = given.hash
           WHERE profile = :profile AND embedder = :embedder ${extension ? "AND meaning IS NOT NULL" : ""}`,
          {
            embedder: embedder.id,
            ids: given.map(({ id }) => id),
            hashes: given.map(({ hash }) => hash),
          },
        );
        const there = new Set(stored.map(({ record_id: id }) => id));
        const missing = given.filter(({ id }) => !there.has(id));
        if (missing.length === 0) return;
        // A record that was removed meanwhile gets no vector.
        await session.run(
          `INSERT INTO embeddings (profile, record_id, embedder, text_hash, vector${meaning})
           SELECT :profile, given.id, :embedder, given.hash, decode(given.vector, 'base64')
             ${extension ? `, given.meaning::${extension.schema}.halfvec` : ""}
           FROM unnest(:ids::text[], :hashes::text[], :vectors::text[], :meanings::text[])
               AS given(id, hash, vector, meaning)
             JOIN records ON records.profile = :profile AND records.kind = 'memory' AND records.id = given.id
               AND records.body IS NOT NULL
           ON CONFLICT (profile, record_id, embedder) DO UPDATE SET text_hash = excluded.text_hash,
             vector = excluded.vector ${extension ? ", meaning = excluded.meaning" : ""}`,
          {
            embedder: embedder.id,
            ids: missing.map(({ id }) => id),
            hashes: missing.map(({ hash }) => hash),
            vectors: missing.map(({ vector }) => bytesOf(vector).toString("base64")),
            meanings: missing.map(({ vector }) => (extension ? JSON.stringify([...vector]) : "")),
          },
        );
      });
    },
  };
}

/** Creates the index of an embedder's vectors, before the first of them is stored. */
async function ensureMeaningIndex(
  database: Postgres,
  embedder: EmbedderFacts,
  schema: string,
): Promise<void> {
  const sql = meaningIndex(embedder, schema);
  if (sql === undefined) return;
  const known = indexed.get(database) ?? new Map<string, Promise<unknown>>();
  indexed.set(database, known);
  const made =
    known.get(sql) ??
    database.inSystem(async (session) => {
      // Two processes that create the same index at once would fail, despite IF NOT EXISTS.
      await session.run("SELECT pg_advisory_xact_lock(hashtextextended('metahuman meaning index', 0))");
      await session.run(sql);
    });
  known.set(sql, made);
  try {
    await made;
  } catch (error) {
    known.delete(sql);
    throw error;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Four bytes for each number, the lowest first. */
function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes;
}

function floatsOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
