import type { ConversationTurn } from "../contract/context.ts";
import { z } from "zod";
import type { Approval, Grant } from "../contract/approval.ts";
import type { Conversation, Message } from "../contract/conversation.ts";
import type { RunEvent, RunEventBody } from "../contract/event.ts";
import { OperatorRequest, type Page, type TimeSort } from "../contract/http.ts";
import type { RunStatusSummary } from "../contract/live-updates.ts";
import type { ModelCallRecord } from "../contract/model-call.ts";
import { RunId, Timestamp } from "../contract/ids.ts";
import { Schedule, ScheduleId } from "../contract/schedule.ts";
import {
  Action,
  ObservationMode,
  type Run,
  type RunFeedback,
  type RunStatus,
  type RunSummary,
} from "../contract/run.ts";
import { CognitiveMode, Role, TrustLevel } from "../contract/trust.ts";
import type { RunRelay } from "./run-relay.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";

/** A write with a claim that is not the newest one of its run: another process took over, or the run has ended. */
export class RunLostError extends MetahumanError {
  override readonly name = "RunLostError";
  readonly code = "CONFLICT";

  constructor(runId: string) {
    super(`This process no longer executes the run ${runId}.`);
  }
}

/** The occurrence that a run executes. */
export const RunOccurrence = z.strictObject({
  scheduleId: ScheduleId,
  dueAt: Timestamp,
  grants: Schedule.shape.grants,
});
export type RunOccurrence = z.infer<typeof RunOccurrence>;

/** The complete request of a run, stored with it so that any process can continue it. */
export const RunRequest = z.strictObject({
  request: OperatorRequest,
  identity: z.strictObject({
    role: Role,
    username: z.string().optional(),
    mode: CognitiveMode,
    trustLevel: TrustLevel,
  }),
  surface: z.enum(["page", "api", "cli", "mcp", "schedule"]),
  /** The occurrence of a schedule that it executes, with the grants of the schedule. */
  occurrence: RunOccurrence.optional(),
  observationMode: ObservationMode.optional(),
  /** The single call that a person requested directly. The run consists of this call. */
  direct: Action.optional(),
  /** The ended run whose steps this one continues. */
  continues: RunId.optional(),
  /** True if the run was restored from a backup before its end; only a person can resume it. */
  restored: z.literal(true).optional(),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** Filters approvals, newest first. `query` matches the skill's name or the preview. */
export interface ApprovalsQuery {
  status?: Approval["status"];
  query?: string;
  limit: number;
  cursor?: string;
}

/** The result of a commit: the events with their positions, and the run after them. */
export interface Committed {
  events: RunEvent[];
  run: Run;
}

/**
 * The right to write to a run. It is lost as soon as the run has a newer claim or the claim was taken from its holder.
 */
export interface RunClaim {
  readonly runId: string;
  /** The fencing number: increases with every claim of the run, and when a claim is taken from its holder. */
  readonly fence: number;
}

/** An event that may be stored. Answer deltas are only streamed. */
export type StoredEventBody = Exclude<RunEventBody, { type: "answer-delta" }>;

export interface RunQuery {
  status?: RunStatus;
  conversationId?: string;
  /** Words that the goal contains as one piece of text, ignoring case. */
  query?: string;
  /** Only runs that were created at this moment or later. */
  from?: string;
  /** Only runs that were created before this moment. */
  until?: string;
  /** Default: newest first. */
  sort?: TimeSort;
  limit: number;
  cursor?: string;
}

/** The turns of a conversation that its stored summary does not cover. */
export interface StoredTurns {
  /** Oldest first; `id` is that of the message. */
  turns: (ConversationTurn & { id: string })[];
  earlierTurns: number;
  summary?: string;
}

/**
 * Stores runs, conversations and approvals. Nothing is shown before it is stored. Events of one run are numbered from 1
 * without gaps and committed together with the run; everything a side effect depends on is on disk when the call
 * returns. Several processes may use one store: the holder that claimed a run executes it and keeps the claim while it
 * renews its lease, which expires by the store's clock. Every write carries the number of its claim and is refused with
 * `RunLostError` if that is not the newest one, so that a process that was suspended for longer than its lease cannot
 * write. All methods throw `NotFoundError` for unknown ids, and the storage errors.
 */
export interface RunStore {
  /** The id of this process among the holders of leases; new at every opening. */
  readonly holder: string;
  /** Connects the feeds of several processes; undefined if the store has no such connection. */
  readonly relay?: RunRelay;

  /**
   * Stores a request as a queued run of this process, with the person's message. Creates a conversation if none is
   * given. For an occurrence, throws `ConflictError` unless it is running and has no run.
   */
  create(request: RunRequest): Promise<Run>;
  hasRun(runId: string): Promise<boolean>;
  run(runId: string): Promise<Run>;
  request(runId: string): Promise<RunRequest>;
  runs(query: RunQuery): Promise<Page<RunSummary>>;
  /**
   * Returns runs that have not ended, newest first, at most `limit`. The time does not depend on the number of ended
   * runs.
   */
  unfinishedRuns(limit: number): Promise<RunSummary[]>;
  /** Returns the runs that started last, newest first. */
  latest(limit: number): Promise<RunStatusSummary[]>;
  /** Returns stored events after `from`, at most `limit`. */
  events(runId: string, from: number, limit: number): Promise<RunEvent[]>;
  /** Whether the step's side effect may have happened, because its `action-started` is committed. */
  actionStarted(runId: string, step: number): Promise<boolean>;

  /** Commits events of a claimed run. Throws `RunLostError` if the claim is not the newest one or the run is idle. */
  append(claim: RunClaim, bodies: readonly StoredEventBody[]): Promise<Committed>;
  /**
   * Throws `RunLostError` if the claim is not the newest one or the run is idle. Call it before writing data of the run
   * outside of this store.
   */
  confirmClaim(claim: RunClaim): Promise<void>;
  /**
   * Returns a run that no process executes. If the lease of its holder has expired, the run is interrupted first, and
   * `events` contains that event. Resolves to undefined while a live holder executes the run.
   */
  idleRun(runId: string): Promise<Committed | undefined>;
  /**
   * Commits events of a run that no process executes, if `after` is still the number of its last event. If the run is
   * queued afterwards, this process may claim it. With `identity`, it continues in that person's name. Resolves to
   * undefined without storing anything if the run was claimed or changed meanwhile; `changeIdleRun` then tries again.
   */
  commitIdle(
    runId: string,
    change: { after: number; bodies: readonly StoredEventBody[]; identity?: RunRequest["identity"] },
  ): Promise<Committed | undefined>;

  /**
   * Claims the oldest queued run if fewer than `maxConcurrent` runs are in progress; otherwise resolves to undefined.
   * With `adopt`, also claims runs of holders whose lease has expired.
   */
  claim(options: {
    maxConcurrent: number;
    adopt: boolean;
  }): Promise<{ run: Run; claim: RunClaim } | undefined>;
  /** Releases this process's queued runs, so that another process or the next start can claim them. */
  releaseQueued(): Promise<void>;
  /** Requests the process that executes the run to stop it. */
  requestCancel(runId: string): Promise<void>;
  /** Returns the runs of this process with a stop request. */
  cancelRequests(): Promise<string[]>;
  /** Whether runs of this process are queued. */
  hasQueuedRuns(): Promise<boolean>;
  /** Renews this process's lease for 15 seconds if it owns runs. */
  renewLease(): Promise<void>;
  /** Marks the claimed runs of holders whose lease has expired as interrupted. */
  interruptLost(): Promise<Committed[]>;
  /**
   * Returns a number that changes whenever another process commits. Cheap, because it is called several times a second.
   */
  externalVersion(): Promise<number>;

  /**
   * Stores a model call without secrets, also after the run has ended. May be lost in a power failure. Throws
   * `RunLostError` if the claim is not the newest one.
   */
  recordModelCall(claim: RunClaim, call: ModelCallRecord): Promise<void>;
  /** Oldest first. */
  modelCalls(runId: string): Promise<ModelCallRecord[]>;
  /** Replaces the feedback on a run. */
  giveFeedback(runId: string, feedback: RunFeedback): Promise<void>;
  feedback(runId: string): Promise<RunFeedback | undefined>;

  hasConversation(id: string): Promise<boolean>;
  conversation(id: string): Promise<Conversation>;
  /** Pinned ones first, then the newest first. A query searches titles and messages. */
  conversations(query: { query?: string; limit: number; cursor?: string }): Promise<Page<Conversation>>;
  /**
   * Lists messages, oldest first. With `limit`, only the newest ones; with `beforeRun`, those before that run's
   * request.
   */
  messages(conversationId: string, options?: { limit?: number; beforeRun?: string }): Promise<Message[]>;
  /**
   * Returns the newest turns that the conversation's summary does not cover, at most `limit`. With `beforeRun`, the
   * state at that run's request.
   */
  turns(conversationId: string, options: { limit: number; beforeRun?: string }): Promise<StoredTurns>;
  /** Replaces the summary of a conversation, which covers everything up to the message `through`. */
  saveSummary(conversationId: string, summary: { text: string; through: string }): Promise<void>;
  renameConversation(id: string, title: string): Promise<Conversation>;
  /** Replaces a title that is still `from`. Resolves to false if the conversation has another one by now. */
  replaceTitle(id: string, titles: { from: string; to: string }): Promise<boolean>;
  /** Pins a conversation, or takes the pin off. */
  pinConversation(id: string, pinned: boolean): Promise<Conversation>;
  /** Deletes a conversation with its runs. Throws `ConflictError` while one of them is queued or running. */
  removeConversation(id: string): Promise<void>;

  approval(id: string): Promise<Approval>;
  /** Newest first. */
  approvals(query: ApprovalsQuery): Promise<Page<Approval>>;
  approvalsOf(runId: string): Promise<Approval[]>;
  grants(): Promise<Grant[]>;
  revokeGrant(id: string): Promise<Grant>;

  /** Ends this process's lease, so that other processes need not wait for it to expire. Does not close the database. */
  close(): Promise<void>;
}

/** The methods of `RunStore` about claims. */
export type ClaimMethods = Pick<
  RunStore,
  | "claim"
  | "releaseQueued"
  | "requestCancel"
  | "cancelRequests"
  | "hasQueuedRuns"
  | "renewLease"
  | "interruptLost"
>;

/** The methods of `RunStore` about conversations. */
export type ConversationMethods = Pick<
  RunStore,
  | "hasConversation"
  | "conversation"
  | "conversations"
  | "messages"
  | "turns"
  | "saveSummary"
  | "renameConversation"
  | "replaceTitle"
  | "pinConversation"
  | "removeConversation"
>;
