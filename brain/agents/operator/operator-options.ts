import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { ContextPackage, ConversationContext } from "@metahuman/core/contract/context";
import type { OperatorRequest } from "@metahuman/core/contract/http";
import type { Persona, ProfileSettings } from "@metahuman/core/contract/profile";
import type { Action, ObservationMode } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import type { RunDump } from "@metahuman/core/runs/run-dump";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { Logger } from "@metahuman/core/log/logger";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Identity } from "@metahuman/core/policy/security-policy";
import type { Skill } from "@metahuman/skills/define-skill";
import type { ProfilePorts, Summarizer } from "@metahuman/skills/ports";
import type { FunctionsAfter } from "./post-run/post-run.ts";
import type { ConversationSummaries } from "./loop/conversation-context.ts";
import type { Critic } from "./answer/critic.ts";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { RunDependencies } from "./loop/run-context.ts";
import type { Composer } from "./composer.ts";
import type { CodeRunner } from "./tools/code/code-runner.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import type { Planner, PlanState } from "./planner.ts";
import type { AnswerWriter } from "./answer/answer-writer.ts";

/** What decides which planner carries out a run. */
export interface PlannerChoice {
  request: OperatorRequest;
  /** Conversation only: mode `emulation`, or a guest. */
  conversationOnly: boolean;
  /** Whose functions may be replayed. */
  agentId: string;
  /** When the request was made. */
  requestedAt: Date;
  /** What was asked before in the same conversation, the newest first. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
  direct?: Action;
}

export interface ContextRequest {
  message: string;
  mode: CognitiveMode;
  conversationId: string;
  conversation: ConversationContext;
  sessionId: string | undefined;
  agentId: string;
  /** False: nothing of functions is looked up. */
  useFunctions: boolean;
  signal: AbortSignal;
}

/** The concrete parts of one profile's operator. */
export interface OperatorOptions {
  username: string;
  /** Runs that are stored. */
  persistent: RunStorage;
  /** Runs in emulation: gone with the process, nothing of them is stored. */
  ephemeral: RunStorage;
  skills: readonly Skill[];
  cards: readonly SkillCard[];
  ports: ProfilePorts;
  wording: AnswerWriter;
  /** Without one, recipes with a text to compose are not replayed. */
  composer?: Composer;
  /** Makes the power to summarize for one run, which is told of every model call; without one no model is asked. */
  summarizerFor?: (state: PlanState) => Summarizer;
  conversationSummaries: ConversationSummaries;
  code: CodeRunner;
  /** What skills find and run functions with. */
  functionsOf: FunctionsOfProfile["of"];
  curatorFor: RunDependencies["curatorFor"];
  /** Takes part while `useReasoningService` is on. */
  critic: Critic;
  choosePlanner(choice: PlannerChoice): Promise<Planner>;
  buildContext(request: ContextRequest): Promise<ContextPackage>;
  /** Who speaks to a guest, who is told nothing else of the profile. */
  persona?(): Promise<Persona>;
  settings(): Promise<ProfileSettings>;
  /** Writes a run down for whoever looks for a fault; without secrets. */
  dumpRun(dump: RunDump): Promise<void>;
  memory: MemoryPort;
  /** Sees to credit and learning at the end of each run; without it runs teach nothing. */
  learner?: FunctionsAfter;
  config: ConfigSource;
  audit: AuditLog;
  logger: Logger;
  clock: () => Date;
  /** True for a process that stays: it takes over queued runs whose process is gone. */
  adopt: boolean;
}

export interface StartOptions {
  identity: Identity;
  /** Where the request came from, for the audit. */
  surface: "page" | "api" | "cli" | "mcp";
  /** How observations are put to the planner and persistent; as fits each skill when left out. */
  observationMode?: ObservationMode;
  /** Carries out exactly this call, which a person asked for by itself, instead of planning the goal. */
  direct?: Action;
}
