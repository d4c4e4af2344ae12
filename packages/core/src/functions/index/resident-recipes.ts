import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { openChangeLog } from "../../vectors/change-log.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { fineSimilarity, toFine } from "../../vectors/quantize.ts";
import { openVectorRows } from "../../vectors/scan/vector-rows.ts";
import { createResidentVectors, type ResidentVectors } from "../../vectors/scan/resident-vectors.ts";
import { checkDimensions } from "../../vectors/vector-math.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import type { FunctionFacts } from "./function-table.ts";

/** The active recipes in memory, with vectors and counters. Every request searches them, so a search reads no row. */
export interface ResidentRecipes {
  /** Reads changes of the tables by any process. The other methods answer as of the last call. */
  refresh(): void;
  /** At most `limit` matches, nearest first; empty before anything is embedded. */
  nearest(
    embedded: { embedder: EmbedderFacts; vector: Float32Array },
    options: { limit: number; kinds: readonly string[] },
  ): VectorMatch[];
  /** In no particular order; unknown ids are left out. */
  describe(ids: readonly string[]): FunctionFacts[];
}

const Row = z.object({
  item: z.int(),
  id: z.string(),
  partition: z.string(),
  path: z.string(),
  stamp: z.string(),
  hash: z.string(),
  title: z.string(),
  skills: z.string(),
  uses: z.int(),
  executions: z.int(),
  successes: z.int(),
  success: z.number(),
  usefulAt: z.string().nullable(),
});
type Row = z.infer<typeof Row>;

const Skills = z.array(z.string());
/** SQLite counters of changes by this connection and by others. */
const Change = z.object({ own: z.int(), others: z.int() });
type Change = z.infer<typeof Change>;

/** The factor by which more vectors are compared exactly than are returned. */
const OVERSAMPLING = 2;

interface LoadedRecipe {
  item: number;
  partition: string;
  facts: FunctionFacts;
}

export function openResidentRecipes(
  database: Database,
  vectorTables: Pick<VectorTables, "known">,
): ResidentRecipes {
  const lastChange = database.query(
    "SELECT total_changes() AS own, (SELECT data_version FROM pragma_data_version) AS others",
    Change,
  );
  const activeRecipes = database.query(
    `SELECT records.item, entries.id, entries.kind AS partition, path, stamp, hash, title, skills,
       coalesce(uses, 0) AS uses, coalesce(executions, 0) AS executions, coalesce(successes, 0) AS successes,
       coalesce(success, 0.0) AS success, useful_at AS usefulAt
     FROM records JOIN entries USING (item) LEFT JOIN evidence ON evidence.id = entries.id
     WHERE records.kind = 'recipe' AND trust = 'verified' AND status = 'active'`,
    Row,
  );
  const vectors = openResidentVectors(database, vectorTables);
  let known: Change | undefined;
  let recipes = new Map<string, LoadedRecipe>();

  return {
    refresh() {
      const now = lastChange.get();
      if (now !== undefined && now.own === known?.own && now.others === known.others) return;
      const before = recipes;
      recipes = new Map(
        activeRecipes.all().map((row): [string, LoadedRecipe] => {
          const one = before.get(row.id);
          const isSame = one?.facts.hash === row.hash && one.item === row.item;
          const facts = factsOf(row, isSame ? one.facts : undefined);
          return [row.id, { item: row.item, partition: row.partition, facts }];
        }),
      );
      for (const [id, one] of before) {
        const after = recipes.get(id);
        const isSame = after?.facts.hash === one.facts.hash && after.partition === one.partition;
        if (!isSame || after.item !== one.item) vectors.forget(one.item);
      }
      vectors.refresh(recipes.values());
      known = now;
    },
    nearest: (embedded, options) => vectors.nearest(embedded, options),
    describe: (ids) => ids.flatMap((id) => recipes.get(id)?.facts ?? []),
  };
}

/** The vectors of one embedder, by recipe. */
interface VectorsOfEmbedder {
  /** The embedder's number, and the number of the last change that is loaded. */
  number: number;
  seen: number;
  isCurrent: boolean;
  coarse: ResidentVectors;
  fine: Map<number, Int16Array>;
}

/** The vectors of recipes for each requested embedder. */
function openResidentVectors(database: Database, tables: Pick<VectorTables, "known">) {
  const log = openChangeLog(database);
  const resident = new Map<string, VectorsOfEmbedder>();
  let recipes = new Map<number, LoadedRecipe>();

  /** Returns the vectors with all changes; undefined if this machine cannot load them. */
  function current(embedder: EmbedderFacts, table: VectorTable): VectorsOfEmbedder | undefined {
    const before = resident.get(embedder.id);
    if (before?.isCurrent === true) return before;
    const changes = before?.number === table.embedder ? log.since(table.embedder, before.seen) : undefined;
    const now = changes && before ? before : openVectors(embedder, table);
    if (now === undefined) return undefined;
    now.seen = changes?.last ?? log.last();
    for (const item of changes?.items ?? []) remove(now, item);
    for (const [item, { partition }] of recipes) {
      const vector = now.fine.has(item) ? undefined : table.vectorOf(item);
      if (vector === undefined) continue;
      const fine = toFine(vector);
      if (!now.coarse.put(item, partition, fine)) return undefined;
      now.fine.set(item, fine);
    }
    now.isCurrent = true;
    resident.set(embedder.id, now);
    return now;
  }

  return {
    forget(item: number): void {
      for (const one of resident.values()) remove(one, item);
    },
    /** Updates the list of recipes. Their vectors may have changed, too. */
    refresh(loaded: Iterable<LoadedRecipe>): void {
      recipes = new Map([...loaded].map((one): [number, LoadedRecipe] => [one.item, one]));
      for (const one of resident.values()) one.isCurrent = false;
    },
    nearest(
      { embedder, vector }: { embedder: EmbedderFacts; vector: Float32Array },
      { limit, kinds }: { limit: number; kinds: readonly string[] },
    ): VectorMatch[] {
      checkDimensions(vector, embedder.dimensions);
      const table = tables.known(embedder);
      const now = table && current(embedder, table);
      if (now === undefined) return table?.nearest(vector, { limit, filter: { kinds } }) ?? [];
      return now.coarse
        .nearest(vector, { k: OVERSAMPLING * limit, kinds })
        .flatMap((item): VectorMatch[] => {
          const [fine, one] = [now.fine.get(item), recipes.get(item)];
          return fine && one ? [{ id: one.facts.id, similarity: fineSimilarity(vector, fine) }] : [];
        })
        .toSorted((one, other) => other.similarity - one.similarity || (one.id < other.id ? -1 : 1))
        .slice(0, limit);
    },
  };
}

function remove({ fine, coarse }: VectorsOfEmbedder, item: number): void {
  fine.delete(item);
  coarse.remove(item);
}

function openVectors(
  { dimensions }: EmbedderFacts,
  { embedder }: VectorTable,
): VectorsOfEmbedder | undefined {
  const rows = openVectorRows(dimensions);
  if (rows === undefined) return undefined;
  const coarse = createResidentVectors(rows);
  return { number: embedder, seen: 0, isCurrent: false, coarse, fine: new Map() };
}

function factsOf(
  {
    id,
    path,
    stamp,
    hash,
    title,
    skills,
    uses,
    executions,
    successes,
    success,
    usefulAt,
  }: Omit<Row, "item" | "partition">,
  before?: FunctionFacts,
): FunctionFacts {
  const counters = { uses, executions, successes, success, usefulAt };
  // The same bytes name the same skills.
  if (before) return { ...before, path, stamp, ...counters };
  const parsed = Skills.parse(JSON.parse(skills));
  return { id, path, stamp, hash, kind: "recipe", title, skills: parsed, ...counters };
}
