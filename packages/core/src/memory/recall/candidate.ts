/** The fields of an entry that ranking needs. */
export interface CandidateEntry {
  id: string;
  type: string;
  timestamp: string;
  importance: number;
  pinned: boolean;
  context: Record<string, string>;
  /** The entities that it shares with the query. */
  shared: string[];
  /** Hashes of its distinct stems, ascending, at most `DESCRIBED_STEMS`. */
  stems: Uint32Array;
}

/** An entry as the index describes it. */
export interface IndexedEntry extends CandidateEntry {
  item: number;
  /** True for an exchange or a call that failed. */
  failed: boolean;
  /** Equal for exchanges about the same request, and for equal calls; null for other records. */
  occasion: string | null;
}

export const DESCRIBED_STEMS = 64;

/** The search results for one candidate. */
export interface Features {
  /** From keyword search. */
  words?: { rank: number; score: number; coverage: number; matched?: readonly string[] };
  /** From semantic search. */
  meaning?: { rank: number; similarity: number };
}

/** A memory that may answer the request. */
export interface Candidate extends Features {
  entry: CandidateEntry;
}

/** A memory that fits well enough to be listed. */
export interface FittingCandidate extends Candidate {
  /** The absolute fit, independent of other candidates: 1 and above is a fit. */
  fit: number;
}

/** The best features of all candidates, to which those of each are compared; 0 if no candidate has one. */
export interface Strongest {
  score: number;
  similarity: number;
}

/** One term of a score. */
export interface ScorePart {
  name:
    | "words"
    | "meaning"
    | "activation"
    | "importance"
    | "context"
    | "pattern"
    | "pinned"
    | "entities"
    | "outcome"
    | "talk"
    | "repetition";
  value: number;
  /** The reason in a sentence; computed for results only. */
  detail: () => string;
}

export interface Scored {
  candidate: Candidate;
  /** The sum of the parts, 0–1. */
  score: number;
  parts: ScorePart[];
  /** The absolute fit, independent of other candidates: 1 and above is a fit. */
  fit: number;
}
