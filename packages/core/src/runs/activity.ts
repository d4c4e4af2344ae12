import { z } from "zod";
import { type Region } from "../contract/region.ts";
import { ConversationId, RunId, Timestamp } from "../contract/ids.ts";
import { RunOutcome } from "../contract/run.ts";

/** A call of a skill that changed something, from its stored run. */
export const DoneChange = z.strictObject({
  skill: z.string(),
  /** What it did, in a sentence. */
  sentence: z.string(),
  /** The files that it changed: workspace paths. */
  paths: z.array(z.string()),
});
export type DoneChange = z.infer<typeof DoneChange>;

/** A request with what was done for it. */
export const DoneRequest = z.strictObject({
  runId: RunId,
  conversationId: ConversationId,
  conversation: z.string().describe("The title of the conversation"),
  at: Timestamp,
  request: z.string(),
  isScheduled: z.boolean(),
  outcome: RunOutcome.optional().describe("Absent while it is in progress"),
  changes: z.array(DoneChange),
});
export type DoneRequest = z.infer<typeof DoneRequest>;

/** Reads what a profile's stored runs did. Runs that were deleted with their conversation are not among them. */
export interface ActivityPort {
  /** The requests of a period, newest first; `total` counts before `limit`. `except` is the id of a run to leave out. */
  requests(query: {
    from?: string;
    until?: string;
    limit: number;
    except: string;
    region: Region;
  }): Promise<{ requests: DoneRequest[]; total: number }>;
  /** The time of the oldest stored request; undefined if there is none besides `except`. */
  oldest(except: string): Promise<string | undefined>;
}
