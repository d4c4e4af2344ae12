import { z } from "zod";
import { ConversationId, RunId, Timestamp } from "./ids.ts";

/** A conversation: its title and times. */
export const Conversation = z.strictObject({
  id: ConversationId,
  title: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  messageCount: z.int().nonnegative(),
  /** True if it is above the others in lists. Absent: false. */
  pinned: z.boolean().exactOptional(),
  /** In the results of a search: the part of a message that matches. Absent if the title matches. */
  match: z.string().exactOptional(),
});
export type Conversation = z.infer<typeof Conversation>;

/** One turn of a conversation: the person's request or the run's answer. */
export const Message = z.strictObject({
  id: z.string(),
  conversationId: ConversationId,
  role: z.enum(["person", "operator"]),
  text: z.string(),
  runId: RunId.optional(),
  createdAt: Timestamp,
});
export type Message = z.infer<typeof Message>;
