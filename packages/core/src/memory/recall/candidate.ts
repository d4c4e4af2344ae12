import type { IndexedEntry } from "../index/protocol.ts";

/** The search results for one candidate. */
export interface Features {
  /** From keyword search. */
  words?: { rank: number; score: number; coverage: number; matched: readonly string[] };
  /** From semantic search. */
  meaning?: { rank: number; similarity: number };
}

/** A memory that may answer the request. */
export interface Candidate extends Features {
  entry: IndexedEntry;
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
  /** The reason in words; computed for results only. */
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
