import type { Similarities } from "../../contract/similarities.ts";

/** How one embedder's similarities are to be read, and how much they count. */
export interface Calibration extends Similarities {
  /** How much the order by meaning counts beside the order by words, which counts 1. */
  meaningByRank: number;
  /** The same for the strengths within each order. */
  meaningByStrength: number;
}

/** What was measured of embedders here (`etc/memory.json`), by their ids. */
export type Measured = Readonly<Record<string, Similarities>>;

/** Measured on labelled retrieval data (`tests/bench/recall-quality.ts`). */
const BUILT_IN: Calibration = {
  meaningByRank: 0.6,
  meaningByStrength: 0.7,
  unrelated: 0.2,
  convincing: 0.55,
  alike: 0.6,
};

/**
 * For embedders that have not been measured: sentence models put unrelated texts at up to 0.6, so that meaning alone has
 * to be very sure.
 */
const UNMEASURED: Calibration = {
  meaningByRank: 0.8,
  meaningByStrength: 0.8,
  unrelated: 0.6,
  convincing: 0.8,
  alike: 0.85,
};

export function calibrationOf(embedderId: string, measured: Measured = {}): Calibration {
  const usual = embedderId.startsWith("built-in-") ? BUILT_IN : UNMEASURED;
  return { ...usual, ...measured[embedderId] };
}
