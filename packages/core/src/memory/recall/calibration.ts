import type { Similarities } from "../../contract/config.ts";

/** The similarity thresholds of one embedder and its weights in ranking. */
export interface Calibration extends Similarities {
  /** The weight of the semantic rank; the keyword rank has weight 1. */
  meaningByRank: number;
  /** The weight of the semantic score; the keyword score has weight 1. */
  meaningByStrength: number;
  /** When a match is doubted; without it, none is. */
  doubt?: Doubt;
}

/**
 * How well words have to fit, in times the score that is a fit, while meaning disagrees: `least` if the nearest by meaning
 * is first by words, too, and `perRank` more for each unit of the logarithm of its rank.
 */
export interface Doubt {
  least: number;
  perRank: number;
}

/** Measured thresholds by embedder id (`etc/memory.json`). */
export type MeasuredSimilarities = Readonly<Record<string, Similarities>>;

/** Measured on labelled retrieval data (`tests/bench/recall-quality.ts`). */
const BUILT_IN: Calibration = {
  meaningByRank: 0.6,
  meaningByStrength: 0.7,
  unrelated: 0.25,
  convincing: 0.6,
  alike: 0.65,
  // Fitted on half of bfcl-dev so that no right first match of the other sets is lost, and tested on the other half.
  doubt: { least: 0.17, perRank: 0.35 },
};

/**
 * For embedders without measurements. Sentence models give unrelated texts similarities of up to 0.6, so the thresholds
 * are high.
 */
const UNMEASURED: Calibration = {
  meaningByRank: 0.8,
  meaningByStrength: 0.8,
  unrelated: 0.6,
  convincing: 0.8,
  alike: 0.85,
};

export function calibrationOf(embedderId: string, measured: MeasuredSimilarities = {}): Calibration {
  const defaults = embedderId.startsWith("built-in-") ? BUILT_IN : UNMEASURED;
  return { ...defaults, ...measured[embedderId] };
}
