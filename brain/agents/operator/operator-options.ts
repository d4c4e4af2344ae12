import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { ContextPackage, ConversationContext } from "@metahuman/core/contract/context";
import type { OperatorRequest } from "@metahuman/core/contract/http";
import type { Persona, ProfileSettings } from "@metahuman/core/contract/profile";
import type { Action, ObservationMode } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import type { RunOccurrence, RunRequest } from "@metahuman/core/runs/run-store";
import type { RunDump } from "@metahuman/core/runs/run-dump";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { Logger } from "@metahuman/core/log/logger";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Identity } from "@metahuman/core/policy/security-policy";
import type { Skill } from "@metahuman/skills/define-skill";

import type { RunLearner } from "../learner/run-learner.ts";
import type { ConversationSummaries } from "./loop/conversation-context.ts";
import type { ConversationTitles } from "./loop/conversation-titles.ts";
import type { Critic } from "./answer/critic.ts";

import type { RunServices } from "./loop/run-context.ts";

import type { RunStorage } from "./loop/run-scheduler.ts";
import type { Planner } from "./planner.ts";

/** The input of the choice of a planner. */
export interface PlannerChoice {
  request: OperatorRequest;
  /** Conversation only: mode `emulation`, or a guest. */
  conversationOnly: boolean;
  /** The agent whose functions may be replayed. */
  agentId: string;
  /** The time of the request. */
  requestedAt: Date;
  /** Earlier requests of the conversation, newest first. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
  direct?: Action;
  /** True for a request of a schedule, which the built-in planner carries out without a model if it understands it. */
  isScheduled?: boolean;
}

export interface ContextRequest {
  message: string;
  mode: CognitiveMode;
  conversationId: string;
  conversation: ConversationContext;
  sessionId: string | undefined;
  agentId: string;
  /** False leaves functions out of the context. */
  useFunctions: boolean;
  signal: AbortSignal;
}

/** The dependencies of one profile's operator. */
export interface OperatorOptions {
  username: string;
  /** Runs that are stored. */
  persistent: RunStorage;
  /** Runs in emulation; they exist only in this process. */
  ephemeral: RunStorage;
  skills: readonly Skill[];
  cards: readonly SkillCard[];
  services: RunServices;
  conversationSummaries: ConversationSummaries;
  /** Without it, conversations are named after their first request. */
  conversationTitles?: ConversationTitles;
  critic: Critic;
  choosePlanner(choice: PlannerChoice): Promise<Planner>;
  buildContext(request: ContextRequest): Promise<ContextPackage>;
  /** The persona that guests talk to; they see nothing else of the profile. */
  persona?(): Promise<Persona>;
  settings(): Promise<ProfileSettings>;
  /** Makes the next read of settings and permissions see the changes of other processes until now. */
  expectChanges(): void;
  /** Writes a run to a file for debugging, without secrets. */
  dumpRun(dump: RunDump): Promise<void>;
  memory: MemoryPort;
  /** Records function results and learns when a run ends; without one, nothing is learned. */
  learner?: RunLearner;
  config: ConfigSource;
  audit: AuditLog;
  logger: Logger;
  clock: () => Date;
  /** True for a long-lived process: it also claims queued runs of processes that ended. */
  adopt: boolean;
  /**
   * Whether the regular checks of the persistent store may find a queued or lost run, or a pending approval. Default: they may.
   */
  mayHoldWaitingRuns?: (() => boolean) | undefined;
  /** Whether the persistent store may hold runs that are queued or claimed, or pending approvals. Default: it may. */
  mayHoldRuns?: (() => boolean) | undefined;
}

export interface StartOptions {
  identity: Identity;
  /** The origin of the request, for the audit log. */
  surface: RunRequest["surface"];
  /** The occurrence of a schedule that the run carries out. */
  occurrence?: RunOccurrence;
  /** The format of observations; by default each skill's own. */
  observationMode?: ObservationMode;
  /** Executes exactly this call instead of planning the goal. */
  direct?: Action;
}
