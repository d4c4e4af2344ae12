import { z } from "zod";
import { FunctionApproval } from "./function-approval.ts";
import { AgentCard } from "./agents.ts";
import { Approval } from "./approval.ts";
import { IndexStatus } from "./http.ts";
import { ConversationId, RunId } from "./ids.ts";
import { RunStatus, RunSummary } from "./run.ts";

/** Where a run stands, in which conversation, and how far its events go. */
export const RunStanding = z.strictObject({
  id: RunId,
  conversationId: ConversationId,
  status: RunStatus,
  lastSeq: z.int().nonnegative(),
});
export type RunStanding = z.infer<typeof RunStanding>;

/**
 * Numbers that grow with each change, as far as this server noticed; which number says nothing. `conversations` and `grants`
 * count what is not told by runs and approvals: that one was renamed, removed, revoked or restored.
 */
export const ChangeCounts = z.strictObject({
  conversations: z.int(),
  memories: z.int(),
  functions: z.int(),
  grants: z.int(),
  settings: z.int(),
});
export type ChangeCounts = z.infer<typeof ChangeCounts>;

/**
 * What `/api/events` tells a tab besides the events of the runs it names: each is sent once on arrival and again when it
 * changed. `runs` are those that have not ended; `latest-runs` those that began last, newest first, so that nobody misses one
 * that was over at once.
 */
export const LiveNews = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("approvals"),
    items: z.array(Approval),
    functions: z.array(FunctionApproval),
    /** Of calls and functions together. */
    total: z.int().nonnegative(),
  }),
  z.strictObject({ type: z.literal("runs"), items: z.array(RunSummary) }),
  z.strictObject({ type: z.literal("latest-runs"), items: z.array(RunStanding) }),
  z.strictObject({ type: z.literal("changes"), counts: ChangeCounts }),
  z.strictObject({ type: z.literal("index"), status: IndexStatus }),
  z.strictObject({ type: z.literal("agents"), items: z.array(AgentCard) }),
]);
export type LiveNews = z.infer<typeof LiveNews>;
