import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { FunctionFixture } from "@metahuman/core/contract/function";
import type { Run, RunOutcome, Usage } from "@metahuman/core/contract/run";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { Identity } from "@metahuman/core/policy/security-policy";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";

/** An ended run with the data that learning needs. */
export interface EndedRun {
  run: Run;
  outcome: RunOutcome;
  /** The text of the answer, if any. */
  answer: string | undefined;
  usage: Usage;
  role: Identity["role"];
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  config: OperatorConfig["functions"];
  skills: readonly Skill[];
  functions: FunctionsPort;
  /** The replayed function, and the deviation at which the replay ended, if any. */
  replay?: {
    id: string;
    values: Record<string, unknown>;
    deviation?: string;
    /** True if a change was followed that nobody has accepted yet. */
    isUnacceptedChange?: boolean;
  };
  /** The files and tasks that the run changed, as they were before; undefined if part of that is unknown. */
  fixture: () => Promise<FunctionFixture | undefined>;
  /** True when a person asked for exactly one call. */
  isDirect: boolean;
  /** True when a schedule started the run. */
  isScheduled?: boolean;
  /** The messages of the person and the operator before the run, in its conversation. */
  earlierTexts: () => Promise<readonly string[]>;
  /** The runs of the conversation that had ended when this one was requested, newest first. */
  earlierRuns: () => Promise<readonly Run[]>;
  /** A run of the person and its time zone; undefined if it is no longer stored. */
  earlierRun: (id: string) => Promise<{ run: Run; timeZone: string } | undefined>;
  /** True if the built-in planner replaced a failed model. */
  usedFallback: () => Promise<boolean>;
  timeZone: string;
}

/** The result of learning from a run. */
export type LearningResult =
  | { kind: "nothing"; reason: string }
  | { kind: "new"; id: string; title: string }
  /** The run became another example of an existing function. */
  | { kind: "example"; id: string; title: string; proposed: boolean };

/** Runs work that no caller awaits; the signal aborts when the operator closes. */
export type RunInBackground = (work: (signal: AbortSignal) => Promise<void>) => void;

/** Records function results and learns from ended runs. */
export interface RunLearner {
  /** Resolves to events for the run. A failure to learn is logged and does not reject. */
  recordResults(ended: EndedRun, runInBackground: RunInBackground): Promise<StoredEventBody[]>;
  /** Learns on a person's request. Rejects when the function cannot be stored. */
  learn(ended: EndedRun, actor: FunctionActor, runInBackground: RunInBackground): Promise<LearningResult>;
}
