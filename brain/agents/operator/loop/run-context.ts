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
import type { ProfilePorts, SkillPorts, Summarizer } from "@metahuman/skills/ports";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import type { Curator } from "@metahuman/skills/support/curation";
import type { CodeRunner } from "../tools/code/code-runner.ts";
import type { ModelCall } from "@metahuman/models/ask";
import type { Planner, PlanState } from "../planner.ts";
import type { Composer } from "../composer.ts";
import type { Critic } from "../answer/critic.ts";
import type { AnswerWriter } from "../answer/answer-writer.ts";

/** What the loop yields: one event, or several that must be committed together. */
export type Yielded = StoredEventBody | readonly StoredEventBody[];

/** What was yielded, as a list. */
export function eventsIn(yielded: Yielded): readonly StoredEventBody[] {
  return isList(yielded) ? yielded : [yielded];
}

function isList(yielded: Yielded): yielded is readonly StoredEventBody[] {
  return Array.isArray(yielded);
}

/** What the profile allows right now; asked anew before each call, so that a change counts at once. */
export interface EffectivePolicy {
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  overrides: Readonly<Record<string, SkillOverride>>;
  grants: readonly Grant[];
}

/** What the driver hands the loop. It commits each event that the loop yields before it asks for the next. */
export interface RunDependencies {
  /** The run as committed. */
  run(): Run;
  readonly request: RunRequest;
  readonly planner: Planner;
  readonly skills: readonly Skill[];
  /** The powers of skills; the words of an answer come from `wording`. */
  readonly ports: ProfilePorts;
  readonly wording: AnswerWriter;
  readonly composer: Composer;
  summarizerFor(state: PlanState): Summarizer;
  functionsOf: FunctionsOfProfile["of"];
  /** `callSkill` reads the workspace for it. */
  curatorFor(
    state: PlanState,
    powers: Pick<SkillPorts, "functions" | "code"> & { callSkill: CallSkill },
  ): Curator;
  /** What code is read and run with. */
  readonly code: CodeRunner;
  /** Checks answers before they count; absent where nobody asked for it. */
  readonly critic: Critic | undefined;
  readonly config: OperatorConfig;
  /** Who speaks where no context package says so: to a guest. */
  readonly persona: () => Promise<Persona | undefined>;
  readonly flags: RuntimeConfig["operator"];
  /** Aborted when the run must stop now: `CancelledError` for a person's wish, `InterruptedError` for all else. */
  readonly signal: AbortSignal;
  /** Aborted when the run should stop as soon as what it is doing is done. */
  readonly closing: AbortSignal;

  /** The steps of the run that this one continues, oldest first; none for a run that begins anew. */
  readonly continued: readonly ScratchpadEntry[];
  /** The workspace's roots with how many entries each holds; a root that cannot be listed is left out. */
  workspace(): Promise<{ root: string; entries: number }[]>;
  /** The same as prompts show it, with a summary of what is older. */
  conversation(): Promise<ConversationContext>;
  /** What was asked before in it and what was done for that, the newest first. */
  earlier(): Promise<readonly EarlierRequest[]>;
  buildContext(signal: AbortSignal): Promise<ContextPackage>;
  policyNow(): Promise<EffectivePolicy>;
  /** Every approval this run has asked for. */
  approvals(): Promise<Approval[]>;
  /** True when an earlier process may have run the step's skill. */
  actionStarted(step: number): Promise<boolean>;
  /** Throws `RunLostError` when another process has taken the run over. */
  confirmClaim(): Promise<void>;
  /** Keeps the exchange and the skill calls as memories, as the mode allows. */
  remember(ending: { run: Run; answer: string | undefined; outcome: RunOutcome }): Promise<void>;

  /** Credit for the functions of the run, and what is learned from it: what the run is to tell of that. */
  settleFunctions(outcome: RunOutcome, answer: string | undefined): Promise<StoredEventBody[]>;

  /** More of the answer, shown and not stored. */
  answerGrew(text: string, offset: number): void;
  modelCalled(call: ModelCall): void;
  /** What the run has cost until now. */
  usage(): Usage;
  audit(event: AuditEvent["event"], details: Record<string, unknown>): Promise<void>;
  /** The same for lines that nothing waits for but the run's end. */
  auditLater(event: AuditEvent["event"], details: Record<string, unknown>): void;
  /** Resolves when everything that was to be recorded on the way is in the audit log. */
  audited(): Promise<void>;
  /** To be called when the run rests and all of it is committed: writes its dump, where one is wanted. */
  leave(): Promise<void>;
  /** For failures nobody foresaw: the log alone may see the cause. */
  logError(message: string, cause: unknown): void;
  now(): Date;
}

/** Everything one run is carried out with. */
export interface RunContext extends RunDependencies {
  /** The run as its planner sees it now. */
  state(): PlanState;
  /** From now on planner and wording see this answer as the one that its check sent back. */
  sendBack(answer: string): void;
  /** What planner and wording want the person to know, once. */
  takeWarnings(): StoredEventBody[];
}

/** The number of the step that comes next; a run that continues another one counts on from its steps. */
export function nextStep({ run, continued }: Pick<RunContext, "run" | "continued">): number {
  return ((run().scratchpad.at(-1) ?? continued.at(-1))?.step ?? 0) + 1;
}

/** The run stops here and can be resumed: the process shuts down, or no longer holds the run. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}
