import type { ObservationMode } from "@metahuman/core/contract/run";

/** How the outcome of a step can be shown. */
export const OBSERVATION_MODES: readonly { value: ObservationMode; label: string }[] = [
  { value: "narrative", label: "Narrative" },
  { value: "structured", label: "Structured" },
  { value: "verbatim", label: "Verbatim" },
];
