import type { Features } from "../../memory/recall/candidate.ts";
import { BACKGROUND_TEXTS } from "./background-words.ts";
import type { FunctionCalibration } from "./calibration.ts";

/**
 * How well a function fits a request in itself, from raw features: 1 and above is a fit. A fused rank says nothing about
 * that, there is always a first.
 */
export function fitOf(
  { words, meaning }: Features,
  calibration: FunctionCalibration,
  collection: number,
): number {
  const { enoughScore, enoughCoverage, unrelated, convincing } = calibration;
  // The best of many chance matches grows with the logarithm of their number; few functions are no reason to take any.
  const enough =
    (enoughScore * Math.log(1 + collection + BACKGROUND_TEXTS)) /
    Math.log(1 + USUAL_COLLECTION + BACKGROUND_TEXTS);
  const byWords = words ? Math.max(words.score / enough, words.coverage / enoughCoverage) : 0;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}

const USUAL_COLLECTION = 400;
