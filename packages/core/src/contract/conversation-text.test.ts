import { expect, it } from "vitest";
import { conversationText } from "./conversation-text.ts";

const id = `conv-${"0".repeat(26)}`;
const at = "2026-11-20T09:30:00.000Z";

it("formats a conversation with speakers and quoted requests", () => {
  const conversation = { id, title: "two\nlines", createdAt: at, updatedAt: at, messageCount: 2 };
  const message = { conversationId: id, createdAt: at };
  expect(
    conversationText(conversation, [
      { ...message, id: "1", role: "person", text: "# first\n\nsecond" },
      { ...message, id: "2", role: "operator", text: "Done.\n" },
    ]),
  ).toBe(
    `# two lines\n\nBegun ${at}.\n\n**You**, ${at}\n\n> # first\n>\n> second\n\n**Operator**, ${at}\n\nDone.\n`,
  );
});
