import { z } from "zod";
import { Conversation, Message } from "../contract/conversation.ts";
import { RunEvent } from "../contract/event.ts";
import { ConversationId, RunId, Timestamp } from "../contract/ids.ts";
import { ModelCallRecord } from "../contract/model-call.ts";
import { RunFeedback } from "../contract/run.ts";
import { RunRequest } from "./run-store.ts";

/** An exported run: its request and all its events, from which everything else is derived. */
export const RunCopy = z.strictObject({
  id: RunId,
  conversationId: ConversationId,
  createdAt: Timestamp,
  request: RunRequest,
  events: z.array(RunEvent),
  modelCalls: z.array(ModelCallRecord),
  feedback: RunFeedback.exactOptional(),
});
export type RunCopy = z.infer<typeof RunCopy>;

const MessageCopy = Message.omit({ conversationId: true }).extend({
  id: z.string().regex(/^run-[0-9a-z]{26}-(?:person|operator)$/, "this is not the id of a message"),
});

/** An exported conversation with its messages, oldest first. */
export const ConversationCopy = Conversation.omit({ messageCount: true, match: true }).extend({
  messages: z.array(MessageCopy),
});
export type ConversationCopy = z.infer<typeof ConversationCopy>;

/** The relation of a copy to the profile's data; all but `new` and `same` give a reason. */
export type CopyComparison =
  | { kind: "new" }
  | { kind: "same" }
  | { kind: "has-more-messages"; reason: string }
  | { kind: "conflict"; reason: string }
  | { kind: "invalid"; reason: string };
