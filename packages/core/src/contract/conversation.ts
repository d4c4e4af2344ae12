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

/** Formats a conversation as Markdown with speaker and time. Requests are block quotes with escaped markup. */
export function conversationText({ title, createdAt }: Conversation, messages: readonly Message[]): string {
  const turns = messages.map(({ role, text, createdAt: at }) =>
    role === "person" ? `**You**, ${at}\n\n${blockQuote(text)}` : `**Operator**, ${at}\n\n${text.trim()}`,
  );
  return `${[`# ${title.replace(/\s+/g, " ").trim()}`, `Begun ${createdAt}.`, ...turns].join("\n\n")}\n`;
}

function blockQuote(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
