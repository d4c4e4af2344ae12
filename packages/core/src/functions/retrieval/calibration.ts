import { calibrationOf } from "../../memory/recall/calibration.ts";
import type { Calibration } from "../../memory/recall/calibration.ts";

/** How one embedder's similarities and the words' scores are to be read for functions (`tests/bench/function-quality.ts`). */
export interface FunctionCalibration extends Calibration {
  /** BM25 score that is enough by itself in a collection of 400. */
  enoughScore: number;
  /** Share of the request's words, weighed by rarity, that is enough by itself. */
  enoughCoverage: number;
}

/**
 * Functions are asked for with whole requests, memories with a few words: it takes more in common before one of them
 * fits, and a shared topic is not yet the same task.
 */
const WORDS = { enoughScore: 12, enoughCoverage: 1 };
const BUILT_IN = { unrelated: 0.22, convincing: 0.62 };

export function functionCalibrationOf(embedderId: string): FunctionCalibration {
  const measured = embedderId.startsWith("built-in-") ? BUILT_IN : {};
  return { ...calibrationOf(embedderId), ...WORDS, ...measured };
}
