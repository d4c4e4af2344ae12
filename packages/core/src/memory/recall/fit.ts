import type { Calibration } from "./calibration.ts";
import type { Candidate } from "./candidate.ts";

/** BM25 score that is enough by itself in a collection of `USUAL_COLLECTION`: about one rare word, or two usual ones. */
const ENOUGH_SCORE = 10.5;
const USUAL_COLLECTION = 400;
/** Share of the query's words, weighed by rarity, that is enough by itself: short questions cannot reach a high score. */
const ENOUGH_COVERAGE = 0.75;
/** What follows a fitting memory is listed down to this share of a fit. */
export const LISTED = 0.3;

/**
 * How well a memory fits the request in itself, from raw features: a fused rank says nothing about absolute fit, there
 * is always a first. 1 and above is a fit; what shares no word and no meaning has 0. The best of many chance matches
 * grows with the logarithm of their number, so a shared word says more where there are few memories.
 */
export function fitOf({ words, meaning }: Candidate, calibration: Calibration, collection: number): number {
  const enough = (ENOUGH_SCORE * Math.log(1 + collection)) / Math.log(1 + USUAL_COLLECTION);
  const byWords = words ? Math.max(words.score / enough, words.coverage / ENOUGH_COVERAGE) : 0;
  const { unrelated, convincing } = calibration;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}
