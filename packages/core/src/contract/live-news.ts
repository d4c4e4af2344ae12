import { z } from "zod";
import { AgentCard } from "./agents.ts";
import { Approval } from "./approval.ts";
import { IndexStatus } from "./http.ts";
import { RunSummary } from "./run.ts";

/**
 * What `/api/events` tells a tab besides the events of the runs it names: each is sent once on arrival and again when it
 * changed. `runs` are those that have not ended.
 */
export const LiveNews = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("approvals"), items: z.array(Approval), total: z.int().nonnegative() }),
  z.strictObject({ type: z.literal("runs"), items: z.array(RunSummary) }),
  z.strictObject({ type: z.literal("index"), status: IndexStatus }),
  z.strictObject({ type: z.literal("agents"), items: z.array(AgentCard) }),
]);
export type LiveNews = z.infer<typeof LiveNews>;
