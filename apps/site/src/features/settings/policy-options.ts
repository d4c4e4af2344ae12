import { copy } from "./copy.ts";
import type {
  CognitiveMode,
  Effect,
  PolicyDecision,
  Risk,
  SkillOverride,
  TrustLevel,
} from "@metahuman/core/contract/trust";

interface Rule<Value extends string> {
  value: Value;
  label: string;
  /** What choosing it means, in one sentence. */
  meaning: string;
}

export const MODES: readonly Rule<CognitiveMode>[] = [
  { value: "dual", label: "Dual", meaning: copy.modeDual },
  { value: "agent", label: "Agent", meaning: copy.modeAgent },
  {
    value: "emulation",
    label: "Emulation",
    meaning: copy.modeEmulation,
  },
];

export const TRUST_LEVELS: readonly Rule<TrustLevel>[] = [
  { value: "observe", label: "Observe", meaning: copy.trustObserve },
  { value: "suggest", label: "Suggest", meaning: copy.trustSuggest },
  {
    value: "supervised_auto",
    label: "Supervised",
    meaning: copy.trustSupervised,
  },
  {
    value: "bounded_auto",
    label: "Bounded",
    meaning: copy.trustBounded,
  },
];

interface Act {
  act: string;
  /** Calls of this kind. */
  examples: string;
  effect: Effect;
  risk: Risk;
  /** Each host is asked for, until a permission answers for it. */
  asksPerHost?: true;
}

/** The kinds of act that the trust level tells apart, from harmless to grave. */
export const ACTS: readonly Act[] = [
  { act: "Read", examples: copy.actRead, effect: "read", risk: "low" },
  {
    act: "Write, low risk",
    examples: copy.actWriteLow,
    effect: "write",
    risk: "low",
  },
  {
    act: "Write, medium risk",
    examples: copy.actWriteMedium,
    effect: "write",
    risk: "medium",
  },
  {
    act: "Web",
    examples: copy.actWeb,
    effect: "network",
    risk: "medium",
    asksPerHost: true,
  },
  {
    act: "High risk",
    examples: copy.actHigh,
    effect: "write",
    risk: "high",
  },
  { act: "Critical", examples: copy.actCritical, effect: "execute", risk: "critical" },
];

export const DECISION_WORDS: Record<PolicyDecision, string> = {
  allow: "allowed",
  ask: "asks",
  deny: "denied",
};

export const OVERRIDES: readonly { value: SkillOverride | "trust"; label: string }[] = [
  { value: "trust", label: "By trust level" },
  { value: "always", label: "Always allow" },
  { value: "ask", label: "Always ask" },
  { value: "never", label: "Never" },
];

export function modeLabel(mode: CognitiveMode): string {
  return MODES.find(({ value }) => value === mode)?.label ?? mode;
}

export function trustLabel(trustLevel: TrustLevel): string {
  return TRUST_LEVELS.find(({ value }) => value === trustLevel)?.label ?? trustLevel;
}

/** What each trust level answers to each kind of act; asked of the policy by the server. */
export type TrustTable = readonly {
  act: string;
  examples: string;
  decisions: Record<TrustLevel, PolicyDecision>;
}[];
