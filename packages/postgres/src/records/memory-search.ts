import { createHash } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import { MemoryRecord } from "@metahuman/core/contract/memory";
import {
  searchedMemory,
  type StoredMatches,
  type StoredMemory,
  type StoredQuery,
  type StoredSearch,
} from "@metahuman/core/memory/recall/stored-search";
import type { EmbedderFacts } from "@metahuman/core/vectors/embedder";
import type { EntryFilter } from "@metahuman/core/vectors/entry-facts";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type Parameters, type ProfileSession } from "../session.ts";

/** A tsvector may have a megabyte. */
const MAX_STEMS = 4_000;
const MAX_STEM_BYTES = 200;
/** The share of the memories whose vectors have to be stored for a search by meaning. */
const NEARLY_ALL = 0.95;
const FILLED_AT_ONCE = 200;
/** How many entries of the graph a search visits at once, and at most. */
const BREADTH = 200;
const MAX_SCANNED = 100_000;
/** The maximum number of dimensions for which pgvector makes an index of half-precision vectors. */
const MAX_INDEXED_DIMENSIONS = 4_000;

const StateRow = z.object({ memories: z.number(), described: z.number(), words: z.number() });
const EmbedderRow = z.object({ embedder: z.string(), vectors: z.number() });
const CountRow = z.object({ stem: z.string(), memories: z.number() });
const StemRow = z.object({ stem: z.string() });
const BodyRow = z.object({ id: z.string(), path: z.string(), body: MemoryRecord });
const NearRow = BodyRow.extend({ similarity: z.number() });
const UnfilledRow = z.object({ id: z.string(), body: z.unknown() });

/** Describes memories that were written in this transaction, so that the database can search them. */
export async function describeMemories(
  session: ProfileSession,
  records: readonly MemoryRecord[],
): Promise<void> {
  const described = records.map((record) => {
    const { kind, timestamp, tags, stems, words } = searchedMemory(record);
    const storable = stems.filter((stem) => Buffer.byteLength(stem) <= MAX_STEM_BYTES);
    return { id: record.id, kind, at: timestamp, tags, stems: storable.slice(0, MAX_STEMS), words };
  });
  await session.run(
    `INSERT INTO memory_search (profile, record_id, kind, at, tags, stems, words)
     SELECT :profile, given.id, given.kind, given.at, given.tags, array_to_tsvector(given.stems), given.words
     FROM jsonb_to_recordset(:described::jsonb)
       AS given(id text, kind text, at text, tags text[], stems text[], words integer)
     ON CONFLICT (profile, record_id) DO UPDATE SET kind = excluded.kind, at = excluded.at, tags = excluded.tags,
       stems = excluded.stems, words = excluded.words`,
    { described: jsonText(described) },
  );
}

/** Describes the memories that were written by an import, or before the database could search. */
export async function describeMissing(database: Postgres, profile: string): Promise<void> {
  for (let after = ""; ;) {
    const last = await database.inProfile(profile, async (session) => {
      const rows = await session.all(
        UnfilledRow,
        `SELECT id, body FROM records
         WHERE profile = :profile AND kind = 'memory' AND body IS NOT NULL AND id > :after AND NOT EXISTS (
           SELECT FROM memory_search s WHERE s.profile = :profile AND s.record_id = records.id)
         ORDER BY id LIMIT :limit FOR SHARE`,
        { after, limit: FILLED_AT_ONCE },
      );
      const records = rows.flatMap(({ body }) => MemoryRecord.safeParse(body).data ?? []);
      if (records.length > 0) await describeMemories(session, records);
      return rows.at(-1)?.id;
    });
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Searches the memories of a profile in the database. `isNeeded` returns true while the index of this process is
 * incomplete.
 */
export function openMemorySearch(
  database: Postgres,
  profile: string,
  { isNeeded }: { isNeeded: () => boolean },
): StoredSearch | undefined {
  const { vectors: extension } = database;
  if (!extension) return undefined;
  return {
    async state() {
      if (!isNeeded()) return undefined;
      return await database.inProfile(profile, async (session) => {
        const found = await session.get(
          StateRow,
          `SELECT
             (SELECT count(*)::float8 FROM records WHERE profile = :profile AND kind = 'memory' AND body IS NOT NULL) AS memories,
             count(*)::float8 AS described, coalesce(avg(words), 0)::float8 AS words
           FROM memory_search WHERE profile = :profile`,
        );
        if (!found || found.described < found.memories) return undefined;
        const embedders = await session.all(
          EmbedderRow,
          `SELECT embedder, count(*)::float8 AS vectors FROM embeddings
           WHERE profile = :profile AND meaning IS NOT NULL GROUP BY embedder`,
        );
        return {
          memories: found.memories,
          averageWords: found.words,
          embedders: new Set(
            embedders
              .filter(({ vectors }) => vectors >= NEARLY_ALL * found.memories)
              .map(({ embedder }) => embedder),
          ),
        };
      });
    },
    async counts(stems) {
      if (stems.length === 0) return new Map();
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          CountRow,
          `SELECT sought.stem, count(*)::float8 AS memories FROM unnest(:stems::text[], :queries::text[]) AS sought(stem, query)
             JOIN memory_search s ON s.profile = :profile AND s.stems @@ sought.query::tsquery
           GROUP BY sought.stem`,
          { stems, queries: stems.map(lexeme) },
        ),
      );
      return new Map(rows.map(({ stem, memories }) => [stem, memories]));
    },
    async stemsStartingWith(characters) {
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          StemRow,
          `SELECT DISTINCT stem FROM memory_search s, unnest(tsvector_to_array(s.stems)) AS stem
           WHERE s.profile = :profile AND stem ^@ ANY (:characters::text[])`,
          { characters },
        ),
      );
      return rows.map(({ stem }) => stem);
    },
    find: (query) =>
      database.inProfile(profile, async (session): Promise<StoredMatches> => {
        const byWords = query.stems.length === 0 ? [] : await findByWords(session, query);
        const { nearest, filter, limit } = query;
        const byMeaning = nearest
          ? await findNearest(session, extension.schema, { ...nearest, filter, limit })
          : [];
        return { byWords, byMeaning };
      }),
  };
}

/** A `tsquery` for one exact stem. */
function lexeme(stem: string): string {
  return `'${stem.replaceAll(/['\\]/g, "$&$&")}'`;
}

/** The condition and parameters of a filter of memories, named `s` in the statement. */
function filterSql({ kinds, since, until, tags = [] }: EntryFilter): { sql: string; parameters: Parameters } {
  const conditions = [
    kinds !== undefined && "s.kind = ANY (:kinds::text[])",
    since !== undefined && "s.at >= :since",
    until !== undefined && "s.at <= :until",
    tags.length > 0 && "s.tags @> :tags::text[]",
  ].filter((condition) => condition !== false);
  return {
    sql: conditions.map((condition) => ` AND ${condition}`).join(""),
    parameters: { kinds: [...(kinds ?? [])], since: since ?? "", until: until ?? "", tags: [...tags] },
  };
}

/**
 * The memories with the highest scores if each had each of its stems once (BM25): an estimate, since the exact score needs
 * the text.
 */
async function findByWords(
  session: ProfileSession,
  { stems, averageWords, filter, limit }: StoredQuery,
): Promise<StoredMemory[]> {
  const { sql, parameters } = filterSql(filter);
  const rows = await session.all(
    BodyRow,
    `WITH sought AS MATERIALIZED (
       SELECT query::tsquery AS query, term, weight
       FROM unnest(:queries::text[], :terms::integer[], :weights::float8[]) AS sought(query, term, weight)),
     matches AS (
       SELECT s.record_id, s.words, sought.term, max(sought.weight) AS weight
       FROM memory_search s JOIN sought ON s.stems @@ sought.query
       WHERE s.profile = :profile${sql} GROUP BY s.record_id, s.words, sought.term),
     best AS (
       SELECT record_id, sum(weight) / (1 + 1.2 * (0.25 + 0.75 * words / greatest(:averageWords::float8, 1))) AS score
       FROM matches GROUP BY record_id, words ORDER BY score DESC, record_id DESC LIMIT :limit)
     SELECT records.id, records.path, records.body FROM best
       JOIN records ON records.profile = :profile AND records.kind = 'memory' AND records.id = best.record_id
     WHERE records.body IS NOT NULL`,
    {
      ...parameters,
      averageWords,
      limit,
      queries: stems.map(({ stem }) => lexeme(stem)),
      terms: stems.map(({ term }) => String(term)),
      weights: stems.map(({ weight }) => String(weight)),
    },
  );
  return rows.map(({ body, path }) => ({ record: body, path }));
}

/**
 * The nearest memories by meaning: through the graph (HNSW) if the planner prefers it, which continues until enough
 * match the filter, and by comparison with all if it finds fewer than requested.
 */
async function findNearest(
  session: ProfileSession,
  schema: string,
  {
    embedder,
    vector,
    filter,
    limit,
  }: { embedder: EmbedderFacts; vector: Float32Array; filter: EntryFilter; limit: number },
): Promise<StoredMatches["byMeaning"]> {
  const { sql, parameters } = filterSql(filter);
  const distance = `(e.meaning::${schema}.halfvec(${embedder.dimensions})) OPERATOR(${schema}.<#>) :vector::${schema}.halfvec(${embedder.dimensions})`;
  const nearest = (order: string) =>
    session.all(
      NearRow,
      `SELECT records.id, records.path, records.body, near.similarity FROM (
         SELECT e.record_id, -(${distance}) AS similarity
         FROM embeddings e JOIN memory_search s ON s.profile = :profile AND s.record_id = e.record_id
         WHERE e.profile = :profile AND ${ofEmbedder(embedder, "e.")}${sql}
         ORDER BY ${order} LIMIT :limit) near
       JOIN records ON records.profile = :profile AND records.kind = 'memory' AND records.id = near.record_id
       WHERE records.body IS NOT NULL ORDER BY near.similarity DESC, records.id DESC`,
      { ...parameters, vector: JSON.stringify([...vector]), limit },
    );
  await session.run(
    `SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '${BREADTH}', true),
       set_config('hnsw.max_scan_tuples', '${MAX_SCANNED}', true)`,
  );
  const found = await nearest(distance);
  // The sum is not an order of the index.
  const all = found.length < limit ? await nearest(`(${distance}) + 0`) : found;
  return all.map(({ body, path, similarity }) => ({ record: body, path, similarity }));
}

/**
 * The condition of an embedder's index, for rows of `embeddings` that a statement names by `prefix`. The id is a literal, so
 * that the planner recognizes the condition.
 */
function ofEmbedder({ id, dimensions }: EmbedderFacts, prefix: "" | "e."): string {
  return `${prefix}embedder = ${pg.escapeLiteral(id)} AND ${prefix}meaning IS NOT NULL AND length(${prefix}vector) = ${4 * dimensions}`;
}

/** The index of an embedder's vectors and the statement that creates it; undefined for one with too many dimensions. */
export function meaningIndex(
  embedder: EmbedderFacts,
  schema: string,
): { name: string; sql: string } | undefined {
  if (embedder.dimensions > MAX_INDEXED_DIMENSIONS) return undefined;
  const hash = createHash("sha256")
    .update(`${embedder.id} ${embedder.dimensions}`)
    .digest("hex")
    .slice(0, 16);
  const name = `embeddings_meaning_${hash}`;
  const sql = `CREATE INDEX IF NOT EXISTS ${name} ON embeddings
    USING hnsw ((meaning::${schema}.halfvec(${embedder.dimensions})) ${schema}.halfvec_ip_ops)
    WHERE ${ofEmbedder(embedder, "")}`;
  return { name, sql };
}
