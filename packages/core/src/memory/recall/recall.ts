import {
  type MemoryRecord,
  MemoryType,
  type RecalledMemory,
  type RecallPart,
  type RecallQuery,
} from "../../contract/memory.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { CandidateQuery, FoundCandidates, IndexedEntry } from "../index/protocol.ts";
import type { SearchMode } from "../index/search-index.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import { type Calibration, calibrationOf, type Measured } from "./calibration.ts";
import type { Candidate, Scored, ScorePart } from "./candidate.ts";
import { diversify } from "./diversify.ts";
import { fuse } from "./fuse.ts";
import type { EmbeddedQuery, MeaningSearch } from "../index/embeddings.ts";
import { priorsOf } from "./priors.ts";
import { entityTag } from "../entities.ts";

/** The number of candidates each search contributes. */
const CANDIDATES_PER_SEARCH = 50;
const DEFAULT_LIMIT = 10;

/** Types that recall returns only on request. */
const PRIVATE_TYPES: readonly MemoryType[] = ["inner_dialogue", "reflection", "dream"];
const DEFAULT_TYPES: readonly MemoryType[] = MemoryType.options.filter(
  (type) => !PRIVATE_TYPES.includes(type),
);

export interface RecallDependencies {
  /** Embeds a request; undefined while no embedder is reachable. */
  embedQuery: MeaningSearch["embedQuery"];
  candidates: (query: CandidateQuery) => Promise<FoundCandidates>;
  /** The records of entries, in order; null for one that was removed or changed since. */
  read: (entries: readonly IndexedEntry[]) => Promise<readonly (MemoryRecord | null)[]>;
  /** The uses of memories by id. */
  uses: Pick<MemoryUses, "momentsOf">;
  /** Measured thresholds of embedders; read for each request. */
  measured?: (() => Measured) | undefined;
  clock: () => Date;
  onWarning: (message: string, cause?: unknown) => void;
}

/** The thresholds for a request's similarities, and the number of all memories. */
interface Measures {
  calibration: Calibration;
  collection: number;
}

/**
 * Finds memories with keyword and semantic search, best first, each with its score parts. Returns `[]` if nothing fits.
 * While the embedder is unreachable, it uses keyword search alone.
 */
export function createRecall(
  dependencies: RecallDependencies,
): (query: RecallQuery, signal?: AbortSignal) => Promise<RecalledMemory[]> {
  const { embedQuery, momentsOf, findCandidates } = withoutFailures(dependencies);

  async function rank(
    found: readonly Candidate[],
    { context = {}, types = [] }: RecallQuery,
    { calibration, collection }: Measures,
  ): Promise<Scored[]> {
    const candidates = found.filter(({ entry }) => !entry.failed || types.includes("tool_invocation"));
    const relevance = fuse(candidates, calibration);
    const moments = await momentsOf(candidates.map(({ entry }) => entry.id));
    const now = dependencies.clock();
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
      .filter(({ fit }) => fit >= MIN_LISTED_FIT);
    if (!scored.some(({ fit }) => fit >= 1)) return [];
    return diversify(
      factsFirst(withoutSuperseded(scored)).toSorted(
        (a, b) => b.score - a.score || (a.candidate.entry.id < b.candidate.entry.id ? 1 : -1),
      ),
    );
  }

  return async (query, signal) => {
    const {
      types = DEFAULT_TYPES,
      since,
      until,
      tags,
      entities = [],
      limit = DEFAULT_LIMIT,
      explain = false,
    } = query;
    if (query.query.trim() === "") return [];
    signal?.throwIfAborted();
    const filter: EntryFilter = {
      kinds: types,
      since,
      until,
      tags: [...(tags ?? []), ...entities.map(entityTag)],
    };
    const nearest = await embedQuery(query.query, signal);
    const calibration = calibrationOf(nearest?.embedder.id ?? "", dependencies.measured?.());
    const search = async (mode: SearchMode): Promise<Scored[]> => {
      const asked = { query: query.query, mode, limit: CANDIDATES_PER_SEARCH, filter, nearest };
      const { collection, ...found } = await findCandidates(asked);
      signal?.throwIfAborted();
      return rank(withFeatures(found), query, { calibration, collection });
    };
    let ranked = await search("exact");
    if (ranked.length === 0) ranked = await search("loose");

    return readMemories(ranked, { limit, explain, read: dependencies.read, signal });
  };
}

/** The steps of recall that do without what is unavailable: the embedder, the uses of memories, the vectors. */
function withoutFailures(dependencies: RecallDependencies) {
  async function embedQuery(query: string, signal?: AbortSignal): Promise<EmbeddedQuery | undefined> {
    try {
      return await dependencies.embedQuery(query, signal);
    } catch (error) {
      signal?.throwIfAborted();
      dependencies.onWarning("A request could not be embedded; recall uses keywords only.", error);
      return undefined;
    }
  }

  /** Returns no uses if they cannot be read, so that recall still works. */
  async function momentsOf(ids: readonly string[]): Promise<Map<string, number[]>> {
    try {
      return await dependencies.uses.momentsOf(ids);
    } catch (error) {
      dependencies.onWarning("The uses of memories could not be read; recall continues without them.", error);
      return new Map();
    }
  }

  async function findCandidates(query: CandidateQuery): Promise<FoundCandidates> {
    try {
      return await dependencies.candidates(query);
    } catch (error) {
      if (query.nearest === undefined) throw error;
      dependencies.onWarning("Semantic search failed; recall uses keywords only.", error);
      return await dependencies.candidates({ ...query, nearest: undefined });
    }
  }

  return { embedQuery, momentsOf, findCandidates };
}

/** Reads the best memories. One that was deleted meanwhile makes room for the next. */
async function readMemories(
  ranked: readonly Scored[],
  {
    limit,
    explain,
    read,
    signal,
  }: { limit: number; explain: boolean; read: RecallDependencies["read"]; signal: AbortSignal | undefined },
): Promise<RecalledMemory[]> {
  const found: RecalledMemory[] = [];
  for (let next = 0; next < ranked.length && found.length < limit;) {
    signal?.throwIfAborted();
    const some = ranked.slice(next, next + limit - found.length);
    next += some.length;
    const memories = await read(some.map(({ candidate }) => candidate.entry));
    for (const [at, scored] of some.entries()) {
      const memory = memories[at];
      if (memory)
        found.push({
          memory,
          score: scored.score,
          rank: found.length + 1,
          parts: toRecallParts(scored, explain),
          ...(explain && { fit: scored.fit }),
        });
    }
  }
  return found;
}

/** Joins the entries with what each search found of them. */
function withFeatures({ entries, byWords, byMeaning }: Omit<FoundCandidates, "collection">): Candidate[] {
  const wordRank = rankIn(byWords.map(({ score }) => score));
  const meaningRank = rankIn(byMeaning.map(({ similarity }) => similarity));
  const words = new Map(byWords.map((match) => [match.id, { ...match, rank: wordRank(match.score) }]));
  const meaning = new Map(
    byMeaning.map(({ id, similarity }) => [id, { similarity, rank: meaningRank(similarity) }]),
  );
  return entries.map((entry): Candidate => {
    const [wordMatch, meaningMatch] = [words.get(entry.id), meaning.get(entry.id)];
    return {
      entry,
      ...(wordMatch && { words: wordMatch }),
      ...(meaningMatch && { meaning: meaningMatch }),
    };
  });
}

/** The rank of a value, the largest first; equal values share a rank. */
function rankIn(values: readonly number[]): (value: number) => number {
  return (value) => 1 + values.filter((other) => other > value + 1e-9).length;
}

function toRecallParts({ parts, fit }: Scored, explain: boolean): RecallPart[] {
  if (!explain) return parts.map(({ name, value }) => ({ name, value }));
  return [
    ...parts.map(({ name, value, detail }) => ({ name, value, detail: detail() })),
    { name: "fit", value: 0, detail: `${fit.toFixed(2)} times the required fit` },
  ];
}

/** Omits exchanges and calls that a newer one of the same occasion supersedes: its answer is the current one. */
function withoutSuperseded(scored: readonly Scored[]): Scored[] {
  const newest = new Map<string, string>();
  for (const { occasion, timestamp } of scored.map(({ candidate }) => candidate.entry))
    if (occasion !== null && timestamp > (newest.get(occasion) ?? "")) newest.set(occasion, timestamp);
  return scored.filter(({ candidate: { entry } }) => {
    return entry.occasion === null || entry.timestamp === newest.get(entry.occasion);
  });
}

/** What the operator did, and the share of the score that it loses if a fact fits. */
const OUTCOMES: ReadonlySet<string> = new Set<MemoryType>(["action", "tool_invocation", "function_usage"]);
const OUTCOME_PENALTY = 0.2;
/** The share of the score that a conversation loses if another memory fits. */
const CONVERSATION_PENALTY = 0.4;

/**
 * Lowers the score of outcomes if a fact fits, and of conversations if anything else fits. A repeated question shares
 * its words with the earlier one and would otherwise find that question instead of the answer. The penalty is a score
 * part of its own.
 */
function factsFirst(scored: readonly Scored[]): readonly Scored[] {
  const fitting = scored.filter(({ fit }) => fit >= 1);
  const hasOthers = fitting.some((one) => !isConversation(one));
  const hasFacts = fitting.some((one) => !isConversation(one) && !isOutcome(one));
  return scored.map((one) => {
    if (hasOthers && isConversation(one))
      return penalized(
        one,
        CONVERSATION_PENALTY,
        "talk",
        () => "an earlier conversation; other memories come first",
      );
    if (hasFacts && isOutcome(one))
      return penalized(one, OUTCOME_PENALTY, "outcome", () => "what was done earlier; facts come first");
    return one;
  });
}

function penalized(one: Scored, share: number, name: ScorePart["name"], detail: ScorePart["detail"]): Scored {
  const value = -share * one.score;
  return { ...one, score: one.score + value, parts: [...one.parts, { name, value, detail }] };
}

function isConversation({ candidate }: Scored): boolean {
  return candidate.entry.type === "conversation";
}

function isOutcome({ candidate }: Scored): boolean {
  return OUTCOMES.has(candidate.entry.type);
}

/** The BM25 score that is a fit in a collection of `REFERENCE_COLLECTION`: about one rare word or two common ones. */
const FIT_SCORE = 10.5;
const REFERENCE_COLLECTION = 400;
/** The rarity-weighted share of the query's words that is a fit, because short questions cannot reach a high score. */
const FIT_COVERAGE = 0.75;
/** The minimum fit of the results that follow a fitting memory. */
const MIN_LISTED_FIT = 0.3;

/**
 * The absolute fit of a memory to the request, from raw features, because a fused rank always has a first. 1 and above is
 * a fit; a memory that shares neither word nor meaning has 0. The best of many chance matches grows with the logarithm of
 * their number, so the required score grows with the collection.
 */
function fitOf({ words, meaning }: Candidate, calibration: Calibration, collection: number): number {
  const required = (FIT_SCORE * Math.log(1 + collection)) / Math.log(1 + REFERENCE_COLLECTION);
  const byWords = words ? Math.max(words.score / required, words.coverage / FIT_COVERAGE) : 0;
  const { unrelated, convincing } = calibration;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}
