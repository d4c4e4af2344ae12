import {
  type MemoryRecord,
  MemoryType,
  type RecalledMemory,
  type RecallPart,
  type RecallQuery,
} from "../../contract/memory.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { CandidateQuery, FoundCandidates } from "../index/protocol.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import { type Calibration, calibrationOf, type MeasuredSimilarities } from "./calibration.ts";
import type { CandidateEntry, Scored, ScorePart } from "./candidate.ts";
import { diversify, fuse } from "./fuse.ts";
import type { EmbeddedQuery, MeaningSearch } from "../index/embeddings.ts";
import { entityTag } from "../entities.ts";
import { activation } from "../evolution/activation.ts";

/** The number of candidates each search contributes. */
const CANDIDATES_PER_SEARCH = 50;
const DEFAULT_LIMIT = 10;
/** How many records are read together with the candidates, as a multiple of the limit: priors change the order a little. */
const READ_AHEAD = 1.5;

/** Types that recall returns only on request. */
const TYPES_ON_REQUEST: readonly MemoryType[] = ["inner_dialogue", "reflection", "dream"];
const DEFAULT_TYPES: readonly MemoryType[] = MemoryType.options.filter(
  (type) => !TYPES_ON_REQUEST.includes(type),
);

export interface RecallDependencies {
  /** Embeds a request; undefined while no embedder is reachable. */
  embedQuery: MeaningSearch["embedQuery"];
  candidates: (query: CandidateQuery) => Promise<FoundCandidates>;
  /** The records of entries, in order; null for one that was removed or changed since. */
  read: (entries: readonly CandidateEntry[]) => Promise<readonly (MemoryRecord | null)[]>;
  /** The uses of memories by id. */
  uses: Pick<MemoryUses, "momentsOf">;
  /** Measured thresholds of embedders; read for each request. */
  measured?: (() => MeasuredSimilarities) | undefined;
  clock: () => Date;
  onWarning: (message: string, cause?: unknown) => void;
}

/**
 * Finds memories with keyword and semantic search, best first, each with its score parts. Returns `[]` if nothing fits, unless
 * the query asks for the nearest. While the embedder is unreachable, it uses keyword search alone.
 */
export function createRecall(
  dependencies: RecallDependencies,
): (query: RecallQuery, signal?: AbortSignal) => Promise<RecalledMemory[]> {
  const { embedQuery, momentsOf, findCandidates } = withFallbacks(dependencies);

  async function rank(
    { candidates, strongest }: FoundCandidates,
    { context = {} }: RecallQuery,
    calibration: Calibration,
  ): Promise<Scored[]> {
    const relevance = fuse(strongest, calibration);
    const moments = await momentsOf(candidates.map(({ entry }) => entry.id));
    const now = dependencies.clock();
    const scored = candidates.map((candidate): Scored => {
      const terms = [
        ...relevance(candidate),
        ...priorsOf(candidate.entry, { now, context, uses: moments.get(candidate.entry.id) ?? [] }),
      ];
      const score = Math.min(
        1,
        terms.reduce((sum, { value }) => sum + value, 0),
      );
      return { candidate, score, parts: terms, fit: candidate.fit };
    });
    return penalizeHistory(scored).toSorted(
      (a, b) => b.score - a.score || (a.candidate.entry.id < b.candidate.entry.id ? 1 : -1),
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
    const found = await findCandidates({
      query: query.query,
      limit: CANDIDATES_PER_SEARCH,
      filter,
      nearest,
      calibration,
      withFailures: query.types?.includes("tool_invocation") ?? false,
      orNearest: query.orNearest,
      readAhead: Math.ceil(READ_AHEAD * limit),
    });
    signal?.throwIfAborted();
    const ranked = diversify(await rank(found, query, calibration));
    const { recordOf } = found;
    return readMemories(ranked, { limit, explain, recordOf, readMore: dependencies.read, signal });
  };
}

/** The steps of recall, with a fallback if the embedder, the uses of memories or the vectors are unavailable. */
function withFallbacks(dependencies: RecallDependencies) {
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

/** The best memories. The next one replaces a memory that was deleted meanwhile. */
async function readMemories(
  ranked: Iterable<Scored>,
  {
    limit,
    explain,
    recordOf,
    readMore,
    signal,
  }: {
    limit: number;
    explain: boolean;
    recordOf: FoundCandidates["recordOf"];
    readMore: RecallDependencies["read"];
    signal: AbortSignal | undefined;
  },
): Promise<RecalledMemory[]> {
  const found: RecalledMemory[] = [];
  const rest = ranked[Symbol.iterator]();
  while (found.length < limit) {
    signal?.throwIfAborted();
    const batch = [...take(rest, limit - found.length)];
    if (batch.length === 0) break;
    const known = batch.map(({ candidate }) => recordOf(candidate.entry.id));
    const missing = batch.map(({ candidate }) => candidate.entry).filter((_entry, place) => !known[place]);
    const more = missing.length > 0 ? await readMore(missing) : [];
    const readLate = new Map(missing.map(({ id }, index) => [id, more[index]]));
    for (const [place, scored] of batch.entries()) {
      const memory = known[place] ?? readLate.get(scored.candidate.entry.id);
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

/** The next values of an iterator, at most `count`. */
function* take<Value>(values: Iterator<Value>, count: number): Iterable<Value> {
  for (let taken = 0; taken < count; taken += 1) {
    const next = values.next();
    if (next.done === true) return;
    yield next.value;
  }
}

function toRecallParts({ parts, fit }: Scored, explain: boolean): RecallPart[] {
  if (!explain) return parts.map(({ name, value }) => ({ name, value }));
  return [
    ...parts.map(({ name, value, detail }) => ({ name, value, detail: detail() })),
    { name: "fit", value: 0, detail: `${fit.toFixed(2)} times the required fit` },
  ];
}

/** Types of what the operator did, with the share of the score that each loses if a fact fits. */
const OUTCOMES: ReadonlySet<string> = new Set<MemoryType>(["action", "tool_invocation", "function_usage"]);
const OUTCOME_PENALTY = 0.2;
/** The share of the score that a conversation loses if another memory fits. */
const CONVERSATION_PENALTY = 0.4;

/**
 * Lowers the score of outcomes if a fact fits, and of conversations if anything else fits. A repeated question shares
 * its words with the earlier one and would otherwise find that question instead of the answer. The penalty is a score
 * part of its own.
 */
function penalizeHistory(scored: readonly Scored[]): readonly Scored[] {
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

/** The maximum of each prior, 0.15 in total, so that priors cannot promote a memory that does not fit. */
const MAX_PRIOR = {
  activation: 0.045,
  importance: 0.06,
  context: 0.02,
  entities: 0.01,
  pattern: 0.005,
  pinned: 0.01,
};

interface PriorsContext {
  now: Date;
  /** The context of the request. Only keys that both sides have are compared. */
  context: Readonly<Record<string, string>>;
  /** When the memory was used, in milliseconds since 1970. */
  uses: readonly number[];
}

/** The score parts of a memory that do not depend on the query. */
function priorsOf(entry: CandidateEntry, { now, context, uses }: PriorsContext): ScorePart[] {
  const parts: ScorePart[] = [
    {
      name: "activation",
      value: MAX_PRIOR.activation * activation(Date.parse(entry.timestamp), uses, now.getTime()),
      detail: () => `from ${entry.timestamp.slice(0, 10)}, ${describeUses(uses)}`,
    },
    {
      name: "importance",
      value: MAX_PRIOR.importance * entry.importance,
      detail: () => `importance ${entry.importance.toFixed(2)}`,
    },
  ];
  const shared = Object.keys(context).filter((key) => key in entry.context);
  const same = shared.filter((key) => context[key] === entry.context[key]);
  if (same.length > 0) {
    parts.push({
      name: "context",
      value: (MAX_PRIOR.context * same.length) / shared.length,
      detail: () => `same ${same.join(", ")}`,
    });
  }
  if (entry.shared.length > 0)
    parts.push({
      name: "entities",
      value: MAX_PRIOR.entities,
      detail: () => `names ${entry.shared.join(", ")}`,
    });
  if (entry.type === "pattern")
    parts.push({ name: "pattern", value: MAX_PRIOR.pattern, detail: () => "a pattern" });
  if (entry.pinned)
    parts.push({ name: "pinned", value: MAX_PRIOR.pinned, detail: () => "pinned by a person" });
  return parts;
}

function describeUses(uses: readonly number[]): string {
  const [last] = uses;
  if (last === undefined) return "not used since";
  return `used ${uses.length === 1 ? "once" : `${uses.length} times`}, last ${new Date(last).toISOString().slice(0, 10)}`;
}
