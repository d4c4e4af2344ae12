import type { FittingCandidate } from "./candidate.ts";

/**
 * Candidates by field, because a message copies a few lists several times as fast as hundreds of objects. The lists have
 * one value for each candidate, in order.
 */
export interface CandidateColumns {
  ids: string[];
  paths: string[];
  types: string[];
  timestamps: string[];
  contexts: Record<string, string>[];
  /** The entities that each shares with the query. */
  shared: string[][];
  /** The matched words, separated by spaces. */
  matched: string[];
  /** `NUMBERS` for each candidate. */
  numbers: Float64Array;
  /** The stems of all candidates, one after the other. */
  stems: Uint32Array;
}

/** Importance, pinned, fit, the number of stems; rank, score and coverage by words; rank and similarity by meaning. */
const NUMBERS = 9;
/** The rank of a candidate that a search did not find. */
const NONE = 0;

export function toColumns(candidates: readonly FittingCandidate[]): CandidateColumns {
  const numbers = new Float64Array(NUMBERS * candidates.length);
  const stems = new Uint32Array(candidates.reduce((sum, { entry }) => sum + entry.stems.length, 0));
  let end = 0;
  for (const [index, { entry, fit, words, meaning }] of candidates.entries()) {
    stems.set(entry.stems, end);
    end += entry.stems.length;
    // One by one, because `set` with a list takes several times as long.
    const first = NUMBERS * index;
    numbers[first] = entry.importance;
    numbers[first + 1] = entry.pinned ? 1 : 0;
    numbers[first + 2] = fit;
    numbers[first + 3] = entry.stems.length;
    numbers[first + 4] = words?.rank ?? NONE;
    numbers[first + 5] = words?.score ?? 0;
    numbers[first + 6] = words?.coverage ?? 0;
    numbers[first + 7] = meaning?.rank ?? NONE;
    numbers[first + 8] = meaning?.similarity ?? 0;
  }
  return {
    ids: candidates.map(({ entry }) => entry.id),
    paths: candidates.map(({ entry }) => entry.path),
    types: candidates.map(({ entry }) => entry.type),
    timestamps: candidates.map(({ entry }) => entry.timestamp),
    contexts: candidates.map(({ entry }) => entry.context),
    shared: candidates.map(({ entry }) => entry.shared),
    matched: candidates.map(({ words }) => words?.matched.join(" ") ?? ""),
    numbers,
    stems,
  };
}

export function fromColumns({ ids, numbers, stems, ...columns }: CandidateColumns): FittingCandidate[] {
  let end = 0;
  return ids.map((id, index): FittingCandidate => {
    const [importance = 0, pinned, fit = 0, size = 0, wordRank = NONE, score = 0, coverage = 0, ...rest] =
      numbers.subarray(NUMBERS * index, NUMBERS * (index + 1));
    const [meaningRank = NONE, similarity = 0] = rest;
    const start = end;
    end += size;
    const matched = (columns.matched[index] ?? "").split(" ");
    return {
      entry: {
        id,
        path: columns.paths[index] ?? "",
        type: columns.types[index] ?? "",
        timestamp: columns.timestamps[index] ?? "",
        importance,
        pinned: pinned === 1,
        context: columns.contexts[index] ?? {},
        shared: columns.shared[index] ?? [],
        stems: stems.subarray(start, end),
      },
      fit,
      ...(wordRank !== NONE && { words: { rank: wordRank, score, coverage, matched } }),
      ...(meaningRank !== NONE && { meaning: { rank: meaningRank, similarity } }),
    };
  });
}
