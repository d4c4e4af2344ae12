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
  { value: "dual", label: "Dual", meaning: "Skills, memory and learning all take part." },
  { value: "agent", label: "Agent", meaning: "Skills work; conversations are not remembered." },
  {
    value: "emulation",
    label: "Emulation",
    meaning: "Conversation only: nothing is done and nothing is kept.",
  },
];

export const TRUST_LEVELS: readonly Rule<TrustLevel>[] = [
  { value: "observe", label: "Observe", meaning: "Reads. Everything else is refused." },
  { value: "suggest", label: "Suggest", meaning: "Reads by itself, and asks before anything else." },
  {
    value: "supervised_auto",
    label: "Supervised",
    meaning: "Makes new files, tasks and notes by itself; asks before it overwrites or deletes.",
  },
  {
    value: "bounded_auto",
    label: "Bounded",
    meaning: "Also overwrites and deletes by itself; asks before it runs programs or sends data out.",
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
  { act: "Read", examples: "read a file, list tasks, search memory", effect: "read", risk: "low" },
  {
    act: "Write, low risk",
    examples: "a new file in out/, a new task, a note",
    effect: "write",
    risk: "low",
  },
  {
    act: "Write, medium risk",
    examples: "move a file, delete a task",
    effect: "write",
    risk: "medium",
  },
  {
    act: "Web",
    examples: "fetch a page, search; once for each host",
    effect: "network",
    risk: "medium",
    asksPerHost: true,
  },
  {
    act: "High risk",
    examples: "overwrite or delete a file, write outside out/",
    effect: "write",
    risk: "high",
  },
  { act: "Critical", examples: "run a program, send data out", effect: "execute", risk: "critical" },
];

export const DECISION_WORDS: Record<PolicyDecision, string> = {
  allow: "does it",
  ask: "asks",
  deny: "refuses",
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
