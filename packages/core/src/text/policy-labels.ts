import type { CognitiveMode, TrustLevel } from "../contract/trust.ts";

/**
 * The names of modes and trust levels for people. Their descriptions are separate, because most pages load them only on
 * request.
 */
export const MODE_LABELS: Readonly<Record<CognitiveMode, string>> = {
  dual: "Everything (dual)",
  agent: "Skills only (agent)",
  emulation: "Chat only (emulation)",
};

export const TRUST_LABELS: Readonly<Record<TrustLevel, string>> = {
  observe: "Observe",
  suggest: "Suggest",
  supervised_auto: "Supervised",
  bounded_auto: "Bounded",
};
