import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import {
  type Background,
  firstCharacter,
  type QueryTerm,
  queryTerms,
  SAME_FORM,
  saturated,
} from "../../memory/index/keyword-score.ts";
import type { SearchMatch, SearchMode } from "../../memory/index/search-index.ts";
import { openChangeLog } from "../../vectors/change-log.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { fineSimilarity, toCoarse, toFine } from "../../vectors/quantise.ts";
import { openByteRows } from "../../vectors/scan/byte-rows.ts";
import { createResidentVectors, type ResidentVectors } from "../../vectors/scan/resident-vectors.ts";
import { checkDimensions } from "../../vectors/vector-math.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import type { FunctionFacts } from "./function-table.ts";

/**
 * The recipes in service, in memory: an inverted index of their words, their vectors and their counters. Every request of a
 * person searches them, so a search reads no row. Scores are those of `SearchTable`, over recipes alone.
 */
export interface ResidentRecipes {
  /** Reads what changed in the tables, by whichever process; the other methods answer as of the last call. */
  refresh(): void;
  /** At most `limit` matches, best first. */
  words(query: string, options: { limit: number; kinds: readonly string[]; mode: SearchMode }): SearchMatch[];
  /** At most `limit` matches, nearest first; none before the embedder has embedded anything. */
  nearest(
    embedded: { embedder: EmbedderFacts; vector: Float32Array },
    options: { limit: number; kinds: readonly string[] },
  ): VectorMatch[];
  /** In no particular order; unknown ids are left out. */
  describe(ids: readonly string[]): FunctionFacts[];
  count(): number;
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
const Words = z.object({ words: z.string(), stems: z.string(), length: z.int() });
/** Two numbers that differ after a change by this connection, or by another one. */
const Change = z.object({ own: z.int(), others: z.int() });
type Change = z.infer<typeof Change>;

/** So many times as many vectors are compared in the fine form as are wanted. */
const OVERSAMPLING = 2;
/** Above this share of places that are of no use any more, everything is read again. */
const MOST_GONE = 0.125;

/** A recipe at its place in the postings. */
interface Held {
  item: number;
  partition: string;
  /** The number of its words. */
  length: number;
  facts: FunctionFacts;
}

export function openResidentRecipes(
  database: Database,
  vectorTables: Pick<VectorTables, "known">,
  background: Background,
): ResidentRecipes {
  const lastChange = database.query(
    "SELECT total_changes() AS own, (SELECT data_version FROM pragma_data_version) AS others",
    Change,
  );
  const inService = database.query(
    `SELECT records.item, entries.id, entries.kind AS partition, path, stamp, hash, title, skills,
       coalesce(uses, 0) AS uses, coalesce(executions, 0) AS executions, coalesce(successes, 0) AS successes,
       coalesce(success, 0.0) AS success, useful_at AS usefulAt
     FROM records JOIN entries USING (item) LEFT JOIN evidence ON evidence.id = entries.id
     WHERE records.kind = 'recipe' AND trust = 'verified' AND status = 'active'`,
    Row,
  );
  const wordsOf = database.query("SELECT words, stems, length FROM words WHERE item = ?", Words);
  const vectors = openHeldVectors(database, vectorTables);

  let known: Change | undefined;
  let recipes: (Held | undefined)[] = [];
  let places = new Map<string, number>();
  let postings = createPostings();
  let totalLength = 0;

  function clear(): void {
    for (const one of recipes) if (one) vectors.forget(one.item);
    recipes = [];
    places = new Map();
    postings = createPostings();
    totalLength = 0;
  }

  function drop(id: string, place: number): void {
    const one = recipes[place];
    if (one === undefined) return;
    places.delete(id);
    vectors.forget(one.item);
    totalLength -= one.length;
    recipes[place] = undefined;
  }

  function add(row: Row): void {
    const text = wordsOf.get(row.item);
    // A text that an earlier version indexed has no stems; its file is about to be read again.
    if (text === undefined || (text.stems === "" && text.words !== "")) return;
    const place = recipes.length;
    recipes.push({ item: row.item, partition: row.partition, length: text.length, facts: factsOf(row) });
    places.set(row.id, place);
    totalLength += text.length;
    postings.add(place, text);
  }

  function refresh(): void {
    const now = lastChange.get();
    if (now !== undefined && now.own === known?.own && now.others === known.others) return;
    const rows = inService.all();
    if (recipes.length - rows.length > MOST_GONE * rows.length) clear();
    const current = new Set(rows.map(({ id }) => id));
    for (const [id, place] of places) if (!current.has(id)) drop(id, place);
    for (const row of rows) {
      const place = places.get(row.id);
      const one = place === undefined ? undefined : recipes[place];
      if (one?.facts.hash === row.hash && one.item === row.item && one.partition === row.partition) {
        one.facts = factsOf(row, one.facts);
        continue;
      }
      if (place !== undefined) drop(row.id, place);
      add(row);
    }
    vectors.refresh(recipes);
    known = now;
  }

  return {
    refresh,
    words(query, { limit, kinds, mode }) {
      if (places.size === 0) return [];
      const { countOf, startingWith } = postings;
      const terms = queryTerms(query, mode, { entries: places.size, countOf, startingWith, background });
      const { scores, found, has } = postings.score(terms, recipes, totalLength / places.size);
      const totalRarity = terms.reduce((sum, { inverseFrequency }) => sum + inverseFrequency, 0);
      const isWanted = (place: number): boolean => kinds.includes(recipes[place]?.partition ?? "");
      return best(scores, limit, isWanted).flatMap((place) => {
        const one = recipes[place];
        if (one === undefined) return [];
        const matched = terms.flatMap(({ stem }, term) => (has(place, term) ? [stem] : []));
        const coverage = totalRarity > 0 ? (found[place] ?? 0) / totalRarity : 0;
        return [{ id: one.facts.id, score: scores[place] ?? 0, coverage, matched }];
      });
    },
    nearest: (embedded, options) => vectors.nearest(embedded, options),
    describe: (ids) => ids.flatMap((id) => recipes[places.get(id) ?? -1]?.facts ?? []),
    count: () => places.size,
  };
}

/** The vectors of one embedder, by the item of their recipe. */
interface VectorsOfEmbedder {
  /** The number of the embedder, and of the last change of its table that is held. */
  number: number;
  seen: number;
  isCurrent: boolean;
  coarse: ResidentVectors;
  fine: Map<number, Int16Array>;
}

/** The vectors of recipes, for each embedder that was asked for. */
function openHeldVectors(database: Database, tables: Pick<VectorTables, "known">) {
  const log = openChangeLog(database);
  const held = new Map<string, VectorsOfEmbedder>();
  let recipes = new Map<number, Held>();

  /** With all changes so far; undefined where this machine cannot hold them. */
  function current(embedder: EmbedderFacts, table: VectorTable): VectorsOfEmbedder | undefined {
    const before = held.get(embedder.id);
    if (before?.isCurrent === true) return before;
    const changes = before?.number === table.embedder ? log.since(table.embedder, before.seen) : undefined;
    const now = changes && before ? before : opened(embedder, table);
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
    held.set(embedder.id, now);
    return now;
  }

  return {
    forget(item: number): void {
      for (const one of held.values()) remove(one, item);
    },
    /** The recipes there are; vectors may have changed, too. */
    refresh(there: readonly (Held | undefined)[]): void {
      recipes = new Map(there.flatMap((one): [number, Held][] => (one ? [[one.item, one]] : [])));
      for (const one of held.values()) one.isCurrent = false;
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
        .nearest(toCoarse(vector), OVERSAMPLING * limit, { kinds })
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

function opened({ dimensions }: EmbedderFacts, { embedder }: VectorTable): VectorsOfEmbedder | undefined {
  const rows = openByteRows(dimensions);
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

/** By word: the places of the recipes that have it, each followed by how often it has it. */
type Postings = Map<string, number[]>;

/** By place: the BM25 score, and the rarity of the terms that were found. */
interface Scored {
  scores: Float64Array;
  found: Float64Array;
  has(place: number, term: number): boolean;
}

/** An inverted index of words as written and of their stems. Places are never removed. */
function createPostings() {
  const stems: Postings = new Map();
  const forms: Postings = new Map();
  let byFirst: Map<string, string[]> | undefined;
  return {
    add(place: number, text: { words: string; stems: string }): void {
      post(stems, text.stems, place);
      post(forms, text.words, place);
      byFirst = undefined;
    },
    countOf: (stem: string): number => (stems.get(stem)?.length ?? 0) / 2,
    startingWith(character: string): readonly string[] {
      byFirst ??= Map.groupBy(stems.keys(), firstCharacter);
      return byFirst.get(character) ?? [];
    },
    score(
      terms: readonly QueryTerm[],
      texts: readonly ({ length: number } | undefined)[],
      averageLength: number,
    ): Scored {
      const size = texts.length;
      const [scores, found] = [new Float64Array(size), new Float64Array(size)];
      // Of one term, by place; emptied after it.
      const [frequency, sameForm, weights] = [
        new Float64Array(size),
        new Float64Array(size),
        new Float64Array(size),
      ];
      const touched = terms.map(({ forms: written, spellings, synonyms, inverseFrequency: rarity }) => {
        const places = new Set<number>();
        for (const { term, weight } of [...spellings, ...synonyms])
          eachOf(stems.get(term), (place, count) => {
            places.add(place);
            frequency[place] = (frequency[place] ?? 0) + count;
            weights[place] = Math.max(weights[place] ?? 0, weight);
          });
        for (const form of written)
          eachOf(forms.get(form), (place, count) => {
            sameForm[place] = (sameForm[place] ?? 0) + count;
          });
        for (const place of places) {
          const length = texts[place]?.length;
          if (length === undefined) continue;
          const relative = averageLength > 0 ? length / averageLength : 1;
          const weight = weights[place] ?? 0;
          const byStem = weight * saturated(frequency[place] ?? 0, relative);
          const byForm = SAME_FORM * saturated(sameForm[place] ?? 0, relative);
          scores[place] = (scores[place] ?? 0) + rarity * (byStem + byForm);
          found[place] = (found[place] ?? 0) + rarity * weight;
        }
        for (const list of [frequency, sameForm, weights]) list.fill(0);
        return places;
      });
      return { scores, found, has: (place, term) => touched[term]?.has(place) ?? false };
    },
  };
}

/** Counts the words of one text, which stand between spaces, and notes them at its place. */
function post(postings: Postings, text: string, place: number): void {
  const counts = new Map<string, number>();
  for (const word of text.split(" ")) if (word !== "") counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts) {
    const list = postings.get(word);
    if (list) list.push(place, count);
    else postings.set(word, [place, count]);
  }
}

function eachOf(list: readonly number[] | undefined, work: (place: number, count: number) => void): void {
  if (list === undefined) return;
  for (let at = 0; at < list.length; at += 2) work(list[at] ?? 0, list[at + 1] ?? 0);
}

/** The places with the highest scores above 0, best first, among those that are wanted. */
function best(scores: Float64Array, limit: number, isWanted: (place: number) => boolean): number[] {
  const wanted: number[] = [];
  for (const [place, score] of scores.entries()) if (score > 0 && isWanted(place)) wanted.push(place);
  const sorted = Float64Array.from(wanted, (place) => scores[place] ?? 0).sort();
  const least = sorted[Math.max(0, sorted.length - limit)] ?? 0;
  return wanted
    .filter((place) => (scores[place] ?? 0) >= least)
    .toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other)
    .slice(0, limit);
}
