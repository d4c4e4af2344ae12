import {
  type MemoryRecord,
  MemoryType,
  type RecalledMemory,
  type RecallPart,
  type RecallQuery,
} from "../../contract/memory.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { IndexedEntry } from "../index/protocol.ts";
import type { SearchIndex, SearchManner } from "../index/search-index.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import { type Calibration, calibrationOf, type Measured } from "./calibration.ts";
import type { Candidate, Scored } from "./candidate.ts";
import { diversify } from "./diversify.ts";
import { fuse } from "./fuse.ts";
import type { MeaningSearch } from "../index/embeddings.ts";
import { priorsOf } from "./priors.ts";

/** How many each search gives to be fused. */
const DEPTH = 50;
const USUAL_LIMIT = 10;

/** What somebody said to themselves is recalled only when it is asked for. */
const INNER: readonly MemoryType[] = ["inner_dialogue", "reflection", "dream"];
const OUTER: readonly MemoryType[] = MemoryType.options.filter((type) => !INNER.includes(type));

export interface RecallParts {
  search: SearchIndex;
  meaning: MeaningSearch;
  describe: (ids: readonly string[]) => Promise<readonly IndexedEntry[]>;
  read: (entry: IndexedEntry) => Promise<MemoryRecord | undefined>;
  /** When memories were of use, by id. */
  uses: Pick<MemoryUses, "momentsOf">;
  /** What was measured of embedders; asked anew each time. */
  measured?: (() => Measured) | undefined;
  clock: () => Date;
  onWarning: (message: string, cause?: unknown) => void;
}

/** What was found by meaning, and how its similarities are to be read. */
interface Near {
  matches: VectorMatch[];
  calibration: Calibration;
}

/**
 * Finds memories by words and by meaning, best first, each with why; `[]` when nothing fits. While the embedder cannot
 * be reached, words alone decide.
 */
export function createRecall(
  parts: RecallParts,
): (query: RecallQuery, signal?: AbortSignal) => Promise<RecalledMemory[]> {
  async function nearest(query: string, filter: EntryFilter, signal?: AbortSignal): Promise<Near> {
    try {
      const { embedder, matches } = await parts.meaning.nearest(query, { limit: DEPTH, filter }, signal);
      return { matches, calibration: calibrationOf(embedder, parts.measured?.()) };
    } catch (error) {
      signal?.throwIfAborted();
      parts.onWarning("Memories are recalled by their words only.", error);
      return { matches: [], calibration: calibrationOf("") };
    }
  }

  /** Without them memories are recalled all the same, as if none had ever been used. */
  async function momentsOf(ids: readonly string[]): Promise<Map<string, number[]>> {
    try {
      return await parts.uses.momentsOf(ids);
    } catch (error) {
      parts.onWarning("The uses of memories could not be read: recall does without them.", error);
      return new Map();
    }
  }

  async function candidatesFor(
    query: string,
    filter: EntryFilter,
    manner: SearchManner,
    near: Promise<Near>,
  ): Promise<Candidate[]> {
    const [byWords, { matches: byMeaning }] = await Promise.all([
      parts.search.search(query, { limit: DEPTH, filter, manner }),
      near,
    ]);
    const wordRank = rankIn(byWords.map(({ score }) => score));
    const meaningRank = rankIn(byMeaning.map(({ similarity }) => similarity));
    const words = new Map(byWords.map((match) => [match.id, { ...match, rank: wordRank(match.score) }]));
    const meaning = new Map(
      byMeaning.map(({ id, similarity }) => [id, { similarity, rank: meaningRank(similarity) }]),
    );
    const entries = await parts.describe([...new Set([...words.keys(), ...meaning.keys()])]);
    return entries.map((entry): Candidate => {
      const [wordMatch, meaningMatch] = [words.get(entry.id), meaning.get(entry.id)];
      return {
        entry,
        ...(wordMatch && { words: wordMatch }),
        ...(meaningMatch && { meaning: meaningMatch }),
      };
    });
  }

  async function rank(
    candidates: readonly Candidate[],
    { context = {} }: RecallQuery,
    { calibration, collection }: { calibration: Calibration; collection: number },
  ): Promise<Scored[]> {
    const relevance = fuse(candidates, calibration);
    const moments = await momentsOf(candidates.map(({ entry }) => entry.id));
    const now = parts.clock();
    const scored = candidates
      .map((candidate): Scored => {
        const terms = [
          ...relevance(candidate),
          ...priorsOf(candidate.entry, { now, context, uses: moments.get(candidate.entry.id) ?? [] }),
        ];
        const score = Math.min(
          1,
          terms.reduce((sum, { value }) => sum + value, 0),
        );
        return { candidate, score, parts: terms, fit: fitOf(candidate, calibration, collection) };
      })
      .filter(({ fit }) => fit >= LISTED);
    if (!scored.some(({ fit }) => fit >= 1)) return [];
    return diversify(
      afterFacts(scored).toSorted(
        (a, b) => b.score - a.score || (a.candidate.entry.id < b.candidate.entry.id ? 1 : -1),
      ),
    );
  }

  return async (query, signal) => {
    const { types = OUTER, since, until, tags, limit = USUAL_LIMIT, explain = false } = query;
    if (query.query.trim() === "") return [];
    const filter: EntryFilter = { kinds: types, since, until, tags };
    const near = nearest(query.query, filter, signal);
    const [exact, collection, { calibration }] = await Promise.all([
      candidatesFor(query.query, filter, "exact", near),
      parts.search.count(),
      near,
    ]);
    const measure = { calibration, collection };
    let ranked = await rank(exact, query, measure);
    signal?.throwIfAborted();
    if (ranked.length === 0)
      ranked = await rank(await candidatesFor(query.query, filter, "loose", near), query, measure);

    const found: RecalledMemory[] = [];
    for (let next = 0; next < ranked.length && found.length < limit;) {
      signal?.throwIfAborted();
      const some = ranked.slice(next, next + limit - found.length);
      next += some.length;
      const memories = await Promise.all(some.map(({ candidate }) => parts.read(candidate.entry)));
      for (const [at, scored] of some.entries()) {
        const memory = memories[at];
        if (memory)
          found.push({
            memory,
            score: scored.score,
            rank: found.length + 1,
            parts: shown(scored, explain),
            ...(explain && { fit: scored.fit }),
          });
      }
    }
    return found;
  };
}

/** The place of a value among values, the largest first; equal ones share theirs: chance must not tell them apart. */
function rankIn(values: readonly number[]): (value: number) => number {
  return (value) => 1 + values.filter((other) => other > value + 1e-9).length;
}

function shown({ parts, fit }: Scored, explain: boolean): RecallPart[] {
  if (!explain) return parts.map(({ name, value }) => ({ name, value }));
  return [...parts, { name: "fit", value: 0, detail: `fits ${fit.toFixed(2)} times as well as it must` }];
}

/** What an earlier exchange loses of its score where a memory that is no talk fits as well. */
const LOST = 0.4;

/**
 * Takes from the score of earlier exchanges, as a part of its own, when something else fits: who asks again has the words
 * of the first question in them, and would be answered with that question instead of with what is known.
 */
function afterFacts(scored: readonly Scored[]): readonly Scored[] {
  const isKnown = scored.some((one) => !isTalk(one) && one.fit >= 1);
  if (!isKnown) return scored;
  return scored.map((one) => {
    if (!isTalk(one)) return one;
    const value = -LOST * one.score;
    const part = { name: "talk", value, detail: "an earlier exchange; what is known comes first" } as const;
    return { ...one, score: one.score + value, parts: [...one.parts, part] };
  });
}

function isTalk({ candidate }: Scored): boolean {
  return candidate.entry.type === "conversation";
}

/** BM25 score that is enough by itself in a collection of `USUAL_COLLECTION`: about one rare word, or two usual ones. */
const ENOUGH_SCORE = 10.5;
const USUAL_COLLECTION = 400;
/** Share of the query's words, weighed by rarity, that is enough by itself: short questions cannot reach a high score. */
const ENOUGH_COVERAGE = 0.75;
/** What follows a fitting memory is listed down to this share of a fit. */
const LISTED = 0.3;

/**
 * How well a memory fits the request in itself, from raw features: a fused rank says nothing about absolute fit, there
 * is always a first. 1 and above is a fit; what shares no word and no meaning has 0. The best of many chance matches
 * grows with the logarithm of their number, so a shared word says more where there are few memories.
 */
function fitOf({ words, meaning }: Candidate, calibration: Calibration, collection: number): number {
  const enough = (ENOUGH_SCORE * Math.log(1 + collection)) / Math.log(1 + USUAL_COLLECTION);
  const byWords = words ? Math.max(words.score / enough, words.coverage / ENOUGH_COVERAGE) : 0;
  const { unrelated, convincing } = calibration;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}
