import type { Conversation, Message } from "./conversation.ts";

/** A conversation as Markdown: who said what and when. Requests are quoted, so that nothing in them is read as markup. */
export function conversationText({ title, createdAt }: Conversation, messages: readonly Message[]): string {
  const turns = messages.map(({ role, text, createdAt: at }) =>
    role === "person" ? `**You**, ${at}\n\n${quoted(text)}` : `**Operator**, ${at}\n\n${text.trim()}`,
  );
  return `${[`# ${title.replace(/\s+/g, " ").trim()}`, `Begun ${createdAt}.`, ...turns].join("\n\n")}\n`;
}

function quoted(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
