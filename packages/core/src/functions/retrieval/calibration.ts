import { calibrationOf, type Calibration } from "../../memory/recall/calibration.ts";

/**
 * The calibration of one embedder's similarities and of word scores for functions (`tests/bench/function-quality.ts`).
 */
export interface FunctionCalibration extends Calibration {
  /** The BM25 score that suffices alone, in a collection of 400. */
  enoughScore: number;
  /** The share of the request's words, weighted by rarity, that suffices alone. */
  enoughCoverage: number;
}

/**
 * Requests for functions are longer than searches for memories, so a fit needs more common words: a shared topic is not
 * the same task.
 */
const WORDS = { enoughScore: 12, enoughCoverage: 1 };
const BUILT_IN = { unrelated: 0.22, convincing: 0.62 };

export function functionCalibrationOf(embedderId: string): FunctionCalibration {
  const measured = embedderId.startsWith("built-in-") ? BUILT_IN : {};
  return { ...calibrationOf(embedderId), ...WORDS, ...measured };
}
