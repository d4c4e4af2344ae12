import type { IndexedEntry } from "../index/protocol.ts";

/** How something was found, whatever it is. */
export interface Features {
  /** From the search by words. */
  words?: { rank: number; score: number; coverage: number; matched: readonly string[] };
  /** From the search by meaning. */
  meaning?: { rank: number; similarity: number };
}

/** What is known of a memory that may be the answer. */
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
    | "talk"
    | "repetition";
  value: number;
  detail: string;
}

export interface Scored {
  candidate: Candidate;
  /** The sum of the parts, 0–1. */
  score: number;
  parts: ScorePart[];
  /** How well it fits in itself, whatever the others are: 1 and above is a fit. */
  fit: number;
}
