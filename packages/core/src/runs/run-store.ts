import { z } from "zod";
import type { Approval, Grant } from "../contract/approval.ts";
import type { Conversation, Message } from "../contract/conversation.ts";
import type { RunEvent, RunEventBody } from "../contract/event.ts";
import { OperatorRequest, type Page, type TimeSort } from "../contract/http.ts";
import type { RunStanding } from "../contract/live-news.ts";
import type { ModelCallRecord } from "../contract/model-call.ts";
import { RunId } from "../contract/ids.ts";
import {
  Action,
  ObservationMode,
  type Run,
  type RunFeedback,
  type RunStatus,
  type RunSummary,
} from "../contract/run.ts";
import { CognitiveMode, Role, TrustLevel } from "../contract/trust.ts";
import type { StoredTurns } from "./conversation-tables.ts";

/** The complete request of a run, stored with it so that any process can continue it. */
export const RunRequest = z.strictObject({
  request: OperatorRequest,
  identity: z.strictObject({
    role: Role,
    username: z.string().optional(),
    mode: CognitiveMode,
    trustLevel: TrustLevel,
  }),
  surface: z.enum(["page", "api", "cli", "mcp"]),
  observationMode: ObservationMode.optional(),
  /** The single call that a person requested directly. The run consists of this call. */
  direct: Action.optional(),
  /** The ended run whose steps this one continues. */
  continues: RunId.optional(),
  /** It came with a backup and had not ended: nothing but a person sets it going again. */
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

/** What one commit brought: the events with their places, and the run after them. */
export interface Committed {
  events: RunEvent[];
  run: Run;
}

/** The right to write to a run. It is lost for good as soon as the run has a newer claim, or this one was taken from its holder. */
export interface RunClaim {
  readonly runId: string;
  /** The fencing number: it grows with every claim of the run, and when a claim is taken from its holder. */
  readonly fence: number;
}

/** An event that may be stored. Answer deltas are only shown. */
export type StoredEventBody = Exclude<RunEventBody, { type: "answer-delta" }>;

export interface RunQuery {
  status?: RunStatus;
  conversationId?: string;
  /** Words of the goal, as a whole piece of text, whatever their case. */
  query?: string;
  /** The newest first, unless said otherwise. */
  sort?: TimeSort;
  limit: number;
  cursor?: string;
}

/**
 * Runs and what belongs to them, kept so that nothing is shown before it is stored. Events of one run are numbered from
 * 1 without gaps and committed together with the run they change; what a side effect depends on is on disk when the call
 * returns. Several processes may use one store: a run is carried out by the holder that claimed it. A holder keeps what it
 * claimed for as long as it renews its lease, which expires by the store's clock. Every write of a claim carries its number
 * and is refused with `RunLostError` when that is not the newest one, so that a process which stood still for longer than
 * its lease cannot write. All methods throw `NotFoundError` for unknown ids and the storage errors.
 */
export interface RunStore {
  /** Identifies this process among the holders of leases; new at every opening. */
  readonly holder: string;

  /** Stores the request as a queued run of this process, with its conversation (made when none is named) and the person's message. */
  create(request: RunRequest): Promise<Run>;
  hasRun(runId: string): Promise<boolean>;
  run(runId: string): Promise<Run>;
  request(runId: string): Promise<RunRequest>;
  runs(query: RunQuery): Promise<Page<RunSummary>>;
  /** Those that have not ended, the newest first, at most `limit`; takes no longer however many have. */
  unended(limit: number): Promise<RunSummary[]>;
  /** Those that began last, whatever became of them, the newest first. */
  latest(limit: number): Promise<RunStanding[]>;
  /** Stored events after `from`, at most `limit`. */
  events(runId: string, from: number, limit: number): Promise<RunEvent[]>;
  /** True when the step's side effect may have happened: its `action-started` was committed. */
  actionStarted(runId: string, step: number): Promise<boolean>;

  /** Commits events of a claimed run. Throws `RunLostError` when the claim is not the newest one, or the run rests. */
  append(claim: RunClaim, bodies: readonly StoredEventBody[]): Promise<Committed>;
  /**
   * Throws `RunLostError` when the claim is not the newest one, or the run rests. To be asked before something is written
   * for the run that this store does not keep.
   */
  confirmClaim(claim: RunClaim): Promise<void>;
  /**
   * The run as it stands while nobody carries it out. One whose holder's lease has expired is interrupted first; `events`
   * are those of the interruption. Resolves to undefined while a live holder carries the run out.
   */
  idleRun(runId: string): Promise<Committed | undefined>;
  /**
   * Commits events of a run that nobody carries out, provided that `after` is still the number of its last event. A run
   * that is queued afterwards is this process's to claim. With `identity`, it goes on in that person's name. Resolves to
   * undefined, and stores nothing, when the run was claimed or changed meanwhile. `changeIdleRun` tries again then.
   */
  commitIdle(
    runId: string,
    change: { after: number; bodies: readonly StoredEventBody[]; identity?: RunRequest["identity"] },
  ): Promise<Committed | undefined>;

  /**
   * Claims the next queued run, oldest first, when fewer than `maxConcurrent` are being carried out; undefined when there
   * is none or no room. Besides this process's own it claims, with `adopt`, those whose holder's lease has expired.
   */
  claim(options: {
    maxConcurrent: number;
    adopt: boolean;
  }): Promise<{ run: Run; claim: RunClaim } | undefined>;
  /** Gives up this process's queued runs, for another one or the next start to take. */
  releaseQueued(): Promise<void>;
  /** Requests the process that executes the run to stop it. */
  requestCancel(runId: string): Promise<void>;
  /** Returns the runs of this process with a stop request. */
  cancelRequests(): Promise<string[]>;
  /** True while runs of this process wait in the queue. */
  holdsQueued(): Promise<boolean>;
  /** Renews this process's lease if it holds runs; it lasts 15 s from here. */
  renewLease(): Promise<void>;
  /** Marks the claimed runs of holders whose lease has expired as interrupted. */
  interruptLost(): Promise<Committed[]>;
  /** A number that changes whenever another process commits to the store. Asked several times a second: cheap. */
  foreignVersion(): Promise<number>;

  /**
   * Keeps what a model was asked and replied, without secrets; also after the run has ended. A loss of power may lose it.
   * Throws `RunLostError` when the claim is not the newest one.
   */
  noteModelCall(claim: RunClaim, call: ModelCallRecord): Promise<void>;
  /** Oldest first. */
  modelCalls(runId: string): Promise<ModelCallRecord[]>;
  /** Replaces the feedback on a run. */
  giveFeedback(runId: string, feedback: RunFeedback): Promise<void>;
  feedback(runId: string): Promise<RunFeedback | undefined>;

  hasConversation(id: string): Promise<boolean>;
  conversation(id: string): Promise<Conversation>;
  conversations(query: { query?: string; limit: number; cursor?: string }): Promise<Page<Conversation>>;
  /** Oldest first; with `limit`, the newest ones; with `beforeRun`, those said before that run was asked for. */
  messages(conversationId: string, options?: { limit?: number; beforeRun?: string }): Promise<Message[]>;
  /**
   * The newest turns that the conversation's stored summary does not cover, at most `limit`; with `beforeRun`, as they
   * stood when that run was asked for.
   */
  turns(conversationId: string, options: { limit: number; beforeRun?: string }): Promise<StoredTurns>;
  /** Replaces the summary of a conversation: it covers everything up to the message `through`. */
  saveSummary(conversationId: string, summary: { text: string; through: string }): Promise<void>;
  renameConversation(id: string, title: string): Promise<Conversation>;
  /** With all its runs; `ConflictError` while one of them is queued or running. */
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
