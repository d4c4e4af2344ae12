import type { Persona } from "@metahuman/core/contract/profile";
import type { AuditEvent } from "@metahuman/core/contract/audit";
import type { Approval, Grant } from "@metahuman/core/contract/approval";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ContextPackage, ConversationContext } from "@metahuman/core/contract/context";
import type { Run, RunOutcome, ScratchpadEntry, Usage } from "@metahuman/core/contract/run";
import type { CognitiveMode, SkillOverride, TrustLevel } from "@metahuman/core/contract/trust";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { RunRequest, StoredEventBody } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import type { Curator, ProfilePorts, SkillPorts, Summarizer } from "@metahuman/skills/ports";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import type { CodeRunner } from "../tools/code/code-runner.ts";
import type { ModelCall } from "@metahuman/models/ask";
import type { Planner, PlanState } from "../planner.ts";
import type { Composer } from "../composer.ts";
import type { Critic } from "../answer/critic.ts";
import type { AnswerWriter } from "../answer/answer-writer.ts";

/** A value that the loop yields: one event, or several that must be committed together. */
export type Yielded = StoredEventBody | readonly StoredEventBody[];

/** The yielded events as a list. */
export function eventsIn(yielded: Yielded): readonly StoredEventBody[] {
  return isList(yielded) ? yielded : [yielded];
}

function isList(yielded: Yielded): yielded is readonly StoredEventBody[] {
  return Array.isArray(yielded);
}

/** The current permissions of the profile. They are read before each call, so that a change applies at once. */
export interface EffectivePolicy {
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  overrides: Readonly<Record<string, SkillOverride>>;
  grants: readonly Grant[];
}

/** The services of a profile that its runs share. */
export interface RunServices {
  /** The ports of skills, except the answer, which `answerWriter` writes. */
  readonly ports: ProfilePorts;
  readonly answerWriter: AnswerWriter;
  readonly composer: Composer;
  /** The summarizer of one run, to which it reports its model calls. */
  readonly summarizerFor: (state: PlanState) => Summarizer;
  readonly functionsOf: FunctionsOfProfile["of"];
  /** `callSkill` reads the workspace for the curator. */
  readonly curatorFor: (
    state: PlanState,
    ports: Pick<SkillPorts, "functions" | "code"> & { callSkill: CallSkill },
  ) => Curator;
  /** Reads and executes code. */
  readonly code: CodeRunner;
}

/** Everything that one run needs, built once when it is claimed. */
export interface RunDependencies extends RunServices {
  /** The run as committed. */
  run(): Run;
  readonly request: RunRequest;
  readonly planner: Planner;
  readonly skills: readonly Skill[];
  readonly critic: Critic;
  readonly config: OperatorConfig;
  /** The persona for a guest, who gets no context package. */
  readonly persona: () => Promise<Persona | undefined>;
  readonly flags: RuntimeConfig["operator"];
  /** Aborted when the run must stop now: `CancelledError` when a person cancels, `InterruptedError` otherwise. */
  readonly signal: AbortSignal;
  /** Aborted when the run should stop after the current call. */
  readonly closing: AbortSignal;

  /** The steps of the runs that this one continues, oldest first; empty for a new run. */
  readonly continued: readonly ScratchpadEntry[];
  /** The workspace's roots with how many entries each holds; a root that cannot be listed is left out. */
  workspace(): Promise<{ root: string; entries: number }[]>;
  /** The conversation as prompts show it: the newest turns, and a summary of older ones. */
  conversation(): Promise<ConversationContext>;
  /** Earlier requests of the conversation and the calls made for them, newest first. */
  earlier(): Promise<readonly EarlierRequest[]>;
  buildContext(signal: AbortSignal): Promise<ContextPackage>;
  /** The current permissions, including changes by other processes until now. */
  currentPolicy(): Promise<EffectivePolicy>;
  /** Every approval that this run requested. */
  approvals(): Promise<Approval[]>;
  /** True when another process may already have executed the step's skill. */
  actionStarted(step: number): Promise<boolean>;
  /** Throws `RunLostError` when another process has taken the run over. */
  confirmClaim(): Promise<void>;
  /** Stores the exchange and the skill calls as memories, as far as the mode allows. */
  remember(ending: { run: Run; answer: string | undefined; outcome: RunOutcome }): Promise<void>;

  /** The request that makes a function of the pattern that the run repeats; undefined if there is nothing to offer. */
  offerPattern(): Promise<string | undefined>;

  /** Records the functions' results and learns from the run. Resolves to the events about it. */
  recordFunctionResults(outcome: RunOutcome, answer: string | undefined): Promise<StoredEventBody[]>;

  /** Streams a piece of the answer to watchers; it is not stored. */
  onAnswerText(text: string, offset: number): void;
  onModelCall(call: ModelCall): void;
  /** The usage so far. */
  usage(): Usage;
  audit(event: AuditEvent["event"], details: Record<string, unknown>): Promise<void>;
  /** The same in the background; only the end of the run awaits the entry. */
  auditLater(event: AuditEvent["event"], details: Record<string, unknown>): void;
  /** Resolves when all pending audit entries are written. */
  audited(): Promise<void>;
  /** Called when the loop has returned and every event is committed: updates the conversation summary, writes the run dump. */
  onLoopEnd(): Promise<void>;
  /** Logs an unexpected failure. Only the log receives the cause. */
  logError(message: string, cause: unknown): void;
  now(): Date;
}

/** The run's dependencies, and the state of its loop. */
export interface RunContext extends RunDependencies {
  /** The run as its planner sees it now. */
  state(): PlanState;
  /** Counts the entries of the workspace's roots again, for the next state. */
  countWorkspace(): Promise<void>;
  /** Sets the answer that the review rejected; planner and answer writer see it from now on. */
  rejectAnswer(answer: string): void;
  /** Removes and returns the warnings of the planner and the answer writer. */
  takeWarnings(): StoredEventBody[];
}

/** The number of the next step. A run that continues another one continues its numbering. */
export function nextStep({ run, continued }: Pick<RunContext, "run" | "continued">): number {
  return ((run().scratchpad.at(-1) ?? continued.at(-1))?.step ?? 0) + 1;
}

/** The run pauses and can be resumed: the process shuts down, or lost its claim. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}
