import { copy } from "./copy.ts";
import { MODE_LABELS, TRUST_LABELS } from "@metahuman/core/text/policy-labels";
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
  /** The effect of the choice, in one sentence. */
  meaning: string;
}

export const MODES: readonly Rule<CognitiveMode>[] = [
  { value: "dual", label: MODE_LABELS.dual, meaning: copy.modeDual },
  { value: "agent", label: MODE_LABELS.agent, meaning: copy.modeAgent },
  {
    value: "emulation",
    label: MODE_LABELS.emulation,
    meaning: copy.modeEmulation,
  },
];

export const TRUST_LEVELS: readonly Rule<TrustLevel>[] = [
  { value: "observe", label: TRUST_LABELS.observe, meaning: copy.trustObserve },
  { value: "suggest", label: TRUST_LABELS.suggest, meaning: copy.trustSuggest },
  {
    value: "supervised_auto",
    label: TRUST_LABELS.supervised_auto,
    meaning: copy.trustSupervised,
  },
  {
    value: "bounded_auto",
    label: TRUST_LABELS.bounded_auto,
    meaning: copy.trustBounded,
  },
];

interface Act {
  act: string;
  /** Calls of this kind. */
  examples: string;
  effect: Effect;
  risk: Risk;
  /** Whether each host requires approval, unless a permission covers it. */
  asksPerHost?: true;
}

/** The kinds of action that the trust level distinguishes, from harmless to critical. */
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

/** The policy's decision for each trust level and kind of action, computed by the server. */
export type TrustTable = readonly {
  act: string;
  examples: string;
  decisions: Record<TrustLevel, PolicyDecision>;
}[];
