/** How one embedder's similarities are to be read. Measured on labelled retrieval data (`tests/bench/recall-quality.ts`). */
export interface Calibration {
  /** How much the order by meaning counts beside the order by words, which counts 1. */
  meaningByRank: number;
  /** The same for the strengths within each order. */
  meaningByStrength: number;
  /** Similarity that says nothing: unrelated texts reach it. */
  unrelated: number;
  /** Similarity that is enough by itself for a text to be what was asked for. */
  convincing: number;
  /** Similarity from which two memories are about the same thing: they are linked. */
  alike: number;
}

const BUILT_IN: Calibration = {
  meaningByRank: 0.6,
  meaningByStrength: 0.7,
  unrelated: 0.2,
  convincing: 0.55,
  alike: 0.6,
};

/**
 * For embedders that have not been measured here: sentence models put unrelated texts at up to 0.6, so that meaning
 * alone has to be very sure.
 */
const UNMEASURED: Calibration = {
  meaningByRank: 0.8,
  meaningByStrength: 0.8,
  unrelated: 0.6,
  convincing: 0.8,
  alike: 0.85,
};

export function calibrationOf(embedderId: string): Calibration {
  return embedderId.startsWith("built-in-") ? BUILT_IN : UNMEASURED;
}
