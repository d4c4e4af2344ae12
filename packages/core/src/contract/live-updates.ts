import { z } from "zod";
import { FunctionApproval } from "./function-approval.ts";
import { AgentCard } from "./agents.ts";
import { Approval } from "./approval.ts";
import { IndexStatus } from "./http.ts";
import { Notice } from "./notice.ts";
import { ConversationId, RunId } from "./ids.ts";
import { ModelSituation } from "./models.ts";
import { RunStatus, RunSummary } from "./run.ts";

/** The state of a run, its conversation, and its last event. */
export const RunStatusSummary = z.strictObject({
  id: RunId,
  conversationId: ConversationId,
  status: RunStatus,
  lastSeq: z.int().nonnegative(),
});
export type RunStatusSummary = z.infer<typeof RunStatusSummary>;

/**
 * Counters that increase with each change that this server notices; their values have no other meaning. `conversations`
 * and `grants` count changes that no event of a run or approval reports: renamed, removed, revoked or restored items.
 * `files` counts changes by people, not those that runs make.
 */
export const ChangeCounts = z.strictObject({
  conversations: z.int(),
  memories: z.int(),
  functions: z.int(),
  grants: z.int(),
  settings: z.int(),
  schedules: z.int(),
  files: z.int(),
});
export type ChangeCounts = z.infer<typeof ChangeCounts>;

/**
 * The messages of `/api/events` besides the events of the requested runs. Each is sent once at the start and again
 * after a change. `runs` are those that have not ended; `latest-runs` are the last that began, newest first, so that a
 * client also learns of very short runs.
 */
export const LiveUpdate = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("approvals"),
    items: z.array(Approval),
    functions: z.array(FunctionApproval),
    /** Calls and functions together. */
    total: z.int().nonnegative(),
  }),
  z.strictObject({ type: z.literal("runs"), items: z.array(RunSummary) }),
  z.strictObject({ type: z.literal("latest-runs"), items: z.array(RunStatusSummary) }),
  z.strictObject({ type: z.literal("changes"), counts: ChangeCounts }),
  z.strictObject({ type: z.literal("index"), status: IndexStatus }),
  z.strictObject({ type: z.literal("agents"), items: z.array(AgentCard) }),
  z.strictObject({ type: z.literal("models"), situation: ModelSituation }),
  /** The newest that are unread, at most 20; `unread` counts all. */
  z.strictObject({
    type: z.literal("notices"),
    items: z.array(Notice),
    unread: z.int().nonnegative(),
  }),
]);
export type LiveUpdate = z.infer<typeof LiveUpdate>;
