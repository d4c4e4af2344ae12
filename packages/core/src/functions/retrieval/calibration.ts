import { calibrationOf } from "../../memory/recall/calibration.ts";
import type { Calibration } from "../../memory/recall/calibration.ts";

/** How one embedder's similarities and the words' scores are to be read for functions (`tests/bench/function-quality.ts`). */
export interface FunctionCalibration extends Calibration {
  /** BM25 score that is enough by itself in a collection of 400. */
  enoughScore: number;
  /** Share of the request's words, weighed by rarity, that is enough by itself. */
  enoughCoverage: number;
}

export function functionCalibrationOf(embedderId: string): FunctionCalibration {
  return { ...calibrationOf(embedderId), enoughScore: 10.5, enoughCoverage: 0.75 };
}
