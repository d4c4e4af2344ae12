import type { SearchMatch } from "../index/search-index.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { Calibration } from "./calibration.ts";
import type { Candidate, FittingCandidate, IndexedEntry, Strongest } from "./candidate.ts";
import { strongestOf } from "./fuse.ts";

/** What one pass of the searches by words and by meaning found. */
export interface SearchResults {
  entries: readonly IndexedEntry[];
  byWords: readonly SearchMatch[];
  byMeaning: readonly VectorMatch[];
}

export interface FitOptions {
  calibration: Calibration;
  /** The number of all memories. */
  collection: number;
  /** Whether what failed is a candidate, too. */
  withFailures: boolean;
}

/**
 * The candidates that fit well enough to be listed, with the best features of all. None if none of them is a fit, so that
 * a search can return nothing.
 */
export function fittingCandidates(
  found: SearchResults,
  { calibration, collection, withFailures }: FitOptions,
): { candidates: FittingCandidate[]; strongest: Strongest } {
  const all = withFeatures(found).filter(({ entry }) => withFailures || !entry.failed);
  const candidates = withoutSuperseded(
    all
      .map((candidate) => ({ ...candidate, fit: fitOf(candidate, calibration, collection) }))
      .filter(({ fit }) => fit >= MIN_LISTED_FIT),
  );
  return {
    candidates: candidates.some(({ fit }) => fit >= 1) ? candidates : [],
    strongest: strongestOf(all),
  };
}

/** Joins the entries with what each search found of them. */
function withFeatures({ entries, byWords, byMeaning }: SearchResults): Candidate[] {
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

/** Omits exchanges and calls that a newer one of the same occasion supersedes: its answer is the current one. */
function withoutSuperseded(candidates: readonly FittingCandidate[]): FittingCandidate[] {
  const newest = new Map<string, string>();
  for (const { occasion, timestamp } of candidates.map(({ entry }) => entry))
    if (occasion !== null && timestamp > (newest.get(occasion) ?? "")) newest.set(occasion, timestamp);
  return candidates.filter(
    ({ entry }) => entry.occasion === null || entry.timestamp === newest.get(entry.occasion),
  );
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
