import type { FittingCandidate } from "./candidate.ts";

/**
 * Candidates by field, because a message copies a few texts several times as fast as hundreds of objects. The fields have one
 * value for each candidate, in order.
 */
export interface CandidateColumns {
  /** Ids, types and timestamps, none of which contains a line break, one for each line. */
  ids: string;
  types: string;
  timestamps: string;
  /** Of those candidates that have a context, by place. */
  contexts: Map<number, Record<string, string>>;
  /** The entities that a candidate shares with the query, by place. */
  shared: Map<number, string[]>;
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
  const contexts: CandidateColumns["contexts"] = new Map();
  const shared: CandidateColumns["shared"] = new Map();
  let end = 0;
  for (const [index, { entry, fit, words, meaning }] of candidates.entries()) {
    stems.set(entry.stems, end);
    end += entry.stems.length;
    if (Object.keys(entry.context).length > 0) contexts.set(index, entry.context);
    if (entry.shared.length > 0) shared.set(index, entry.shared);
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
    ids: candidates.map(({ entry }) => entry.id).join("\n"),
    types: candidates.map(({ entry }) => entry.type).join("\n"),
    timestamps: candidates.map(({ entry }) => entry.timestamp).join("\n"),
    contexts,
    shared,
    numbers,
    stems,
  };
}

export function fromColumns({ ids, numbers, stems, ...columns }: CandidateColumns): FittingCandidate[] {
  if (numbers.length === 0) return [];
  const types = columns.types.split("\n");
  const timestamps = columns.timestamps.split("\n");
  let end = 0;
  return ids.split("\n").map((id, index): FittingCandidate => {
    const numberAt = (place: number): number => numbers[NUMBERS * index + place] ?? 0;
    const wordRank = numberAt(4);
    const meaningRank = numberAt(7);
    const start = end;
    end += numberAt(3);
    return {
      entry: {
        id,
        type: types[index] ?? "",
        timestamp: timestamps[index] ?? "",
        importance: numberAt(0),
        pinned: numberAt(1) === 1,
        context: columns.contexts.get(index) ?? {},
        shared: columns.shared.get(index) ?? [],
        stems: stems.subarray(start, end),
      },
      fit: numberAt(2),
      ...(wordRank !== NONE && {
        words: { rank: wordRank, score: numberAt(5), coverage: numberAt(6) },
      }),
      ...(meaningRank !== NONE && { meaning: { rank: meaningRank, similarity: numberAt(8) } }),
    };
  });
}
