import type { Conversation } from "@metahuman/core/contract/conversation";
import type { ConversationEdit } from "@metahuman/core/contract/http";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { formatTime, tableOfPage } from "../output.ts";
import { type AddCommand, openSession, requirePermission } from "../session.ts";

const MAX_SHOWN = 30;
const MAX_TITLE = 60;

/** `mh conversations`: finds, pins, renames and deletes conversations. */
export const addConversationsCommand: AddCommand = (program, context) => {
  const conversations = program.command("conversations").description("your conversations in the chat");

  conversations
    .command("list [words...]")
    .description(
      "list conversations, pinned ones first; with words, those whose title or messages contain them",
    )
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read conversations");
      const page = await session.profile.conversations.list({ query: words.join(" "), limit: MAX_SHOWN });
      const none = words.length === 0 ? "No conversations yet." : "No matching conversations.";
      const rows = page.items.map((item) => rowOf(item, session.timeZone));
      context().output.result(page, tableOfPage(rows, page.total, none));
    });

  /** Changes a conversation and prints what it became. */
  async function edit(id: string, change: ConversationEdit, done: (title: string) => string): Promise<void> {
    const session = await openSession(context());
    requirePermission(session.policy.canWriteMemory, session, "change conversations");
    const conversation = await session.profile.conversations.edit(id, change);
    context().output.result({ conversation }, done(conversation.title));
  }

  conversations
    .command("pin <id>")
    .description("pin a conversation to the top of the list")
    .action(async (id: string) => await edit(id, { pinned: true }, (title) => `Pinned “${title}”.`));

  conversations
    .command("unpin <id>")
    .description("unpin a conversation")
    .action(async (id: string) => await edit(id, { pinned: false }, (title) => `Unpinned “${title}”.`));

  conversations
    .command("rename <id> <title...>")
    .description("give a conversation another title")
    .action(
      async (id: string, words: string[]) =>
        await edit(id, { title: words.join(" ") }, (title) => `Renamed to “${title}”.`),
    );

  conversations
    .command("delete <id>")
    .description("delete a conversation and its runs; this cannot be undone")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "delete conversations");
      const { conversation } = await session.profile.conversations.get(id);
      await session.profile.conversations.remove(id);
      context().output.result({ deleted: id }, `Deleted “${conversation.title}”.`);
    });
};

function rowOf({ id, title, updatedAt, pinned, match }: Conversation, timeZone: string): string[] {
  const found = match === undefined ? "" : `  ${match}`;
  return [
    formatTime(updatedAt, timeZone),
    pinned === true ? "pinned" : "",
    id,
    `${truncate(oneLine(title), MAX_TITLE)}${found}`,
  ];
}
