import type { Conversation, Message } from "./conversation.ts";

// Apart from `conversation.ts`, whose schemas every page loads.

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
