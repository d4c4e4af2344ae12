import type { FoundByVector } from "../../vectors/vector-table.ts";
import type { FoundByWords } from "../index/search-table.ts";
import type { Calibration } from "./calibration.ts";
import type { Features, FittingCandidate, IndexedEntry, Strongest } from "./candidate.ts";
import { strongestOf } from "./fuse.ts";

/** What one pass of the searches by words and by meaning found. */
export interface SearchResults {
  byWords: readonly FoundByWords[];
  byMeaning: readonly FoundByVector[];
  /** Describes entries by their numbers, in any order; omits unknown ones. */
  describe: (items: readonly number[]) => readonly IndexedEntry[];
}

export interface FitOptions {
  calibration: Calibration;
  /** The number of all memories. */
  collection: number;
  /** Whether failed exchanges and calls are candidates, too. */
  withFailures: boolean;
  /** Whether the nearest are candidates if nothing fits, for a caller that judges them. */
  orNearest?: boolean | undefined;
}

/**
 * The candidates that fit well enough to be listed, with the best features of all. None if none of them is a fit, or if the
 * best is doubted, so that a search can return nothing; with `orNearest`, all are candidates then. Only what may be listed is
 * described.
 */
export function fittingCandidates(
  found: SearchResults,
  { calibration, collection, withFailures, orNearest = false }: FitOptions,
): { candidates: FittingCandidate[]; strongest: Strongest } {
  const features = featuresOf(found);
  const required = requiredScore(collection);
  const fits = new Map<number, number>();
  let best: { each: Features; fit: number } | undefined;
  for (const [item, each] of features) {
    const fit = fitOf(each, calibration, required);
    fits.set(item, fit);
    if (fit > (best?.fit ?? 0)) best = { each, fit };
  }
  const isFound =
    best !== undefined &&
    best.fit >= 1 &&
    !isDoubted(best.each, found, features, { calibration, collection, required });

  /** The candidates of at least this fit, without failed and superseded ones. */
  function listed(least: number): FittingCandidate[] {
    const entries = found.describe([...fits].filter(([, fit]) => fit >= least).map(([item]) => item));
    if (!withFailures) for (const { item, failed } of entries) if (failed) features.delete(item);
    return withoutSuperseded(entries.filter(({ item }) => features.has(item))).map((entry) => ({
      entry,
      ...features.get(entry.item),
      fit: fits.get(entry.item) ?? 0,
    }));
  }

  let candidates = isFound ? listed(MIN_LISTED_FIT) : [];
  if (!candidates.some(({ fit }) => fit >= 1))
    candidates = orNearest
      ? listed(0).map((candidate) => ({ ...candidate, fit: Math.min(candidate.fit, MAX_DOUBTED_FIT) }))
      : [];
  return { candidates, strongest: strongestOf([...features.values()]) };
}

/** What each search found of the entries, by their numbers. */
function featuresOf({ byWords, byMeaning }: SearchResults): Map<number, Features> {
  const wordRank = rankIn(byWords.map(({ score }) => score));
  const meaningRank = rankIn(byMeaning.map(({ similarity }) => similarity));
  const features = new Map<number, Features>();
  for (const { item, ...match } of byWords)
    features.set(item, { words: { ...match, rank: wordRank(match.score) } });
  for (const { item, similarity } of byMeaning)
    features.set(item, { ...features.get(item), meaning: { similarity, rank: meaningRank(similarity) } });
  return features;
}

/** The rank of a value, the largest first; equal values share a rank. */
function rankIn(values: readonly number[]): (value: number) => number {
  const ascending = Float64Array.from(values).sort();
  return (value) => {
    let low = 0;
    let high = ascending.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ascending[middle] ?? 0) > value + 1e-9) high = middle;
      else low = middle + 1;
    }
    return ascending.length - low + 1;
  };
}

/** Omits exchanges and calls that a newer one of the same occasion supersedes: its answer is the current one. */
function withoutSuperseded(entries: readonly IndexedEntry[]): readonly IndexedEntry[] {
  const newest = new Map<string, string>();
  for (const { occasion, timestamp } of entries)
    if (occasion !== null && timestamp > (newest.get(occasion) ?? "")) newest.set(occasion, timestamp);
  return entries.filter(({ occasion, timestamp }) => occasion === null || timestamp === newest.get(occasion));
}

/** The BM25 score that is a fit in a collection of `REFERENCE_COLLECTION`: about one rare word or two common ones. */
const FIT_SCORE = 10.5;
const REFERENCE_COLLECTION = 400;
/** The rarity-weighted share of the query's words that is a fit, because short questions cannot reach a high score. */
const FIT_COVERAGE = 0.75;
/** The minimum fit of the results that follow a fitting memory. */
const MIN_LISTED_FIT = 0.3;
/** The fit reported for a doubtful match. */
const MAX_DOUBTED_FIT = 0.99;

/**
 * In fewer memories, the nearest by meaning is weak evidence. In many, it is often one by chance: at 100 000, doubt
 * lost 2.5 % of the right answers, at 10 000 none.
 */
const DOUBTING = { least: 100, most: 20_000 };
/** The fit by meaning that is never doubted. */
const UNDOUBTED_FIT = 0.5;
/** The rank by words of a candidate that the search by words did not find. */
const UNRANKED = 50;

/** The BM25 score that is a fit: the best of many chance matches grows with the logarithm of their number. */
function requiredScore(collection: number): number {
  return (FIT_SCORE * Math.log(1 + collection)) / Math.log(1 + REFERENCE_COLLECTION);
}

/**
 * The absolute fit of a memory to the request, from raw features, because a fused rank always has a first. 1 and above is
 * a fit; a memory that shares neither word nor meaning has 0.
 */
function fitOf({ words, meaning }: Features, calibration: Calibration, required: number): number {
  const byWords = words ? Math.max(words.score / required, words.coverage / FIT_COVERAGE) : 0;
  return byWords + fitByMeaning(meaning?.similarity ?? 0, calibration);
}

function fitByMeaning(similarity: number, { unrelated, convincing }: Calibration): number {
  return Math.max(0, (similarity - unrelated) / (convincing - unrelated));
}

/**
 * Whether the best match is probably coincidence: few words agree, and the nearest memory by meaning is another one, which
 * has hardly any of these words. A match that covers the request by words, or has half a fit by meaning, is never
 * doubted, because its vector may not be computed yet.
 */
function isDoubted(
  { words, meaning }: Features,
  { byMeaning }: SearchResults,
  features: ReadonlyMap<number, Features>,
  { calibration, collection, required }: { calibration: Calibration; collection: number; required: number },
): boolean {
  const { doubt } = calibration;
  const [nearest] = byMeaning;
  if (!doubt || !nearest || !words || words.coverage >= FIT_COVERAGE) return false;
  if (collection < DOUBTING.least || collection > DOUBTING.most) return false;
  if (fitByMeaning(meaning?.similarity ?? 0, calibration) >= UNDOUBTED_FIT) return false;
  const rank = features.get(nearest.item)?.words?.rank ?? UNRANKED;
  return words.score / required < doubt.least + doubt.perRank * Math.log(rank);
}
