import { createHash } from "node:crypto";
import { z } from "zod";
import { MemoryRecord } from "@metahuman/core/contract/memory";
import { searchedText } from "@metahuman/core/memory/index/record-index";
import type { EmbedderFacts } from "@metahuman/core/vectors/embedder";
import type { RecordText, StoredVectors } from "@metahuman/core/vectors/stored-vectors";
import type { Postgres } from "../open-postgres.ts";
import type { ProfileSession } from "../session.ts";
import { meaningIndex } from "./memory-search.ts";

const VectorRow = z.object({
  record_id: z.string(),
  text_hash: z.string(),
  vector: z.string(),
  has_meaning: z.boolean(),
});
const IdRow = z.object({ record_id: z.string() });
const TextRow = z.object({ id: z.string(), body: MemoryRecord }).transform(({ id, body }) => ({
  id,
  text: searchedText(body),
}));
const FoundRow = z.object({ found: z.boolean() });

/** The largest number of a vector that pgvector can search: of a half-precision float. */
const LARGEST = 65_504;

/** The indexes of embedders' vectors that exist or are being created, by database and name. */
const indexes = new WeakMap<Postgres, Map<string, Promise<void>>>();

interface StoredVector extends RecordText {
  vector: Float32Array;
}

/**
 * Stores vectors of memories in the table `embeddings`, whose triggers remove those of a removed memory. With pgvector,
 * the column `meaning` contains them once more, for searches, and the vectors of the built-in embedder are stored, too.
 */
export function openStoredVectors(database: Postgres, profile: string): StoredVectors {
  const extension = database.vectors;
  return {
    storesBuiltIn: extension !== undefined,
    async load(embedder, texts) {
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          VectorRow,
          `SELECT record_id, text_hash, encode(vector, 'base64') AS vector,
             ${extension ? "meaning IS NOT NULL" : "true"} AS has_meaning
           FROM embeddings WHERE profile = :profile AND embedder = :embedder AND record_id = ANY(:ids)`,
          { embedder: embedder.id, ids: texts.map(({ id }) => id) },
        ),
      );
      const textOf = new Map(texts.map(({ id, text }) => [id, text]));
      const found: (StoredVector & { hasMeaning: boolean })[] = [];
      for (const row of rows) {
        const [id, text] = [row.record_id, textOf.get(row.record_id)];
        const vector = floatsOf(Buffer.from(row.vector, "base64"));
        // A model of another length may have been installed under the same name.
        if (text === undefined || hashOf(text) !== row.text_hash || vector.length !== embedder.dimensions)
          continue;
        if (isSearchable(vector)) found.push({ id, text, vector, hasMeaning: row.has_meaning });
      }
      const unsearched = found.filter(({ hasMeaning }) => !hasMeaning);
      if (extension && unsearched.length > 0) {
        await createMeaningIndex(database, embedder, extension.schema);
        await database.inProfile(profile, (session) =>
          fillMeanings(session, embedder, unsearched, extension.schema),
        );
      }
      return new Map(found.map(({ id, vector }) => [id, vector]));
    },
    async save(embedder, vectors) {
      if (extension) await createMeaningIndex(database, embedder, extension.schema);
      await database.inProfile(profile, (session) => store(session, embedder, vectors, extension?.schema));
    },
  };
}

/** Stores those vectors that are missing and whose text is that of the memory. `schema` is that of pgvector. */
async function store(
  session: ProfileSession,
  { id: embedder }: EmbedderFacts,
  vectors: readonly StoredVector[],
  schema: string | undefined,
): Promise<void> {
  // Rows that are already stored are not written again.
  const stored = await session.all(
    IdRow,
    `SELECT record_id FROM embeddings JOIN unnest(:ids::text[], :hashes::text[]) AS given(id, hash)
       ON record_id = given.id AND text_hash = given.hash
     WHERE profile = :profile AND embedder = :embedder ${schema === undefined ? "" : "AND meaning IS NOT NULL"}`,
    { embedder, ids: vectors.map(({ id }) => id), hashes: vectors.map(({ text }) => hashOf(text)) },
  );
  const storedIds = new Set(stored.map(({ record_id: id }) => id));
  const missing = await withPresentText(
    session,
    vectors.filter(({ id, vector }) => !storedIds.has(id) && isSearchable(vector)),
  );
  if (missing.length === 0) return;
  const [column, value, replaced] =
    schema === undefined
      ? ["", "", ""]
      : [", meaning", `, given.meaning::${schema}.halfvec`, ", meaning = excluded.meaning"];
  await session.run(
    `INSERT INTO embeddings (profile, record_id, embedder, text_hash, vector${column})
     SELECT :profile, given.id, :embedder, given.hash, decode(given.vector, 'base64')${value}
     FROM unnest(:ids::text[], :hashes::text[], :vectors::text[], :meanings::text[])
       AS given(id, hash, vector, meaning)
     ON CONFLICT (profile, record_id, embedder) DO UPDATE SET text_hash = excluded.text_hash,
       vector = excluded.vector${replaced}`,
    {
      embedder,
      ids: missing.map(({ id }) => id),
      hashes: missing.map(({ text }) => hashOf(text)),
      // Parameters are texts or lists of texts.
      vectors: missing.map(({ vector }) => bytesOf(vector).toString("base64")),
      meanings: missing.map(({ vector }) => (schema === undefined ? "" : halfvecText(vector))),
    },
  );
}

/**
 * Fills the column `meaning` of vectors that were stored before pgvector was created in the database, or whose text was
 * changed and changed back.
 */
async function fillMeanings(
  session: ProfileSession,
  { id: embedder }: EmbedderFacts,
  vectors: readonly StoredVector[],
  schema: string,
): Promise<void> {
  const present = await withPresentText(session, vectors);
  await session.run(
    `UPDATE embeddings SET meaning = given.meaning::${schema}.halfvec
     FROM unnest(:ids::text[], :hashes::text[], :meanings::text[]) AS given(id, hash, meaning)
     WHERE profile = :profile AND embedder = :embedder AND record_id = given.id AND text_hash = given.hash
       AND embeddings.meaning IS NULL`,
    {
      embedder,
      ids: present.map(({ id }) => id),
      hashes: present.map(({ text }) => hashOf(text)),
      meanings: present.map(({ vector }) => halfvecText(vector)),
    },
  );
}

/**
 * The entries whose memory exists and has this text, one for each memory, in the order of their ids. Another process may
 * have changed the others since they were read. Nobody changes these until the end of the transaction.
 */
async function withPresentText<Entry extends RecordText>(
  session: ProfileSession,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const rows = await session.all(
    TextRow,
    `SELECT id, body FROM records WHERE profile = :profile AND kind = 'memory' AND id = ANY(:ids) AND body IS NOT NULL
     ORDER BY id FOR SHARE`,
    { ids: entries.map(({ id }) => id) },
  );
  return rows.flatMap((row) => entries.find(({ id, text }) => id === row.id && text === row.text) ?? []);
}

/**
 * Creates the index of an embedder's vectors if it does not exist. Called before the first of them is stored, because
 * nobody can write vectors while an index is created.
 */
async function createMeaningIndex(
  database: Postgres,
  embedder: EmbedderFacts,
  schema: string,
): Promise<void> {
  const index = meaningIndex(embedder, schema);
  if (index === undefined) return;
  const known = indexes.get(database) ?? new Map<string, Promise<void>>();
  indexes.set(database, known);
  const created =
    known.get(index.name) ??
    database.inSystem(async (session) => {
      const { name } = index;
      const existing = await session.get(FoundRow, "SELECT to_regclass(:name) IS NOT NULL AS found", {
        name,
      });
      if (existing?.found === true) return;
      // Of two processes that create it at the same moment, one would fail.
      await session.run("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))", { name });
      await session.run(index.sql);
    });
  known.set(index.name, created);
  try {
    await created;
  } catch (error) {
    known.delete(index.name);
    throw error;
  }
}

/** Whether the database can search a vector. One that it cannot search would make its whole list fail. */
function isSearchable(vector: Float32Array): boolean {
  return vector.every((value) => Math.abs(value) <= LARGEST);
}

function halfvecText(vector: Float32Array): string {
  return JSON.stringify([...vector]);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Little-endian floats of four bytes. */
function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes;
}

function floatsOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
