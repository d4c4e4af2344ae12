import type { Features } from "../../memory/recall/candidate.ts";
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
    (enoughScore * Math.log(1 + Math.max(collection, SMALLEST_COLLECTION))) / Math.log(1 + USUAL_COLLECTION);
  const byWords = words ? Math.max(words.score / enough, words.coverage / enoughCoverage) : 0;
  const byMeaning = meaning ? Math.max(0, (meaning.similarity - unrelated) / (convincing - unrelated)) : 0;
  return byWords + byMeaning;
}

const USUAL_COLLECTION = 400;
const SMALLEST_COLLECTION = 200;
