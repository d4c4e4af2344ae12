import { z } from "zod";
import { Conversation, type Message } from "@metahuman/core/contract/conversation";
import type { Page } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { excerpt, MessageRow, TurnRow } from "@metahuman/core/runs/conversation-tables";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import type { ConversationCopy } from "@metahuman/core/runs/run-copy";
import type { StoredTurns } from "@metahuman/core/runs/run-store";
import { ulid } from "@metahuman/core/text/ulid";
import { titleFromRequest } from "@metahuman/core/text/strip-markdown";
import { type Parameters, plainText, type ProfileSession } from "../session.ts";
import { foldText } from "@metahuman/core/text/words";

const ConversationRow = z
  .object({
    id: z.string(),
    title: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    messageCount: z.int(),
    pinned: z.boolean(),
  })
  .transform(({ pinned, ...row }) => ({ ...row, ...(pinned && { pinned: true }) }))
  .pipe(Conversation);
const TextRow = z.object({ text: z.string() });

const COLUMNS = `c.id, c.title, c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.pinned,
  (SELECT count(*)::integer FROM messages m WHERE m.profile = :profile AND m.conversation_id = c.id) AS "messageCount"`;
const MATCHES = `c.profile = :profile AND (:words::text IS NULL OR c.title_folded LIKE :words ESCAPE '\\' OR EXISTS
  (SELECT 1 FROM messages m WHERE m.profile = :profile AND m.conversation_id = c.id AND m.text_folded LIKE :words ESCAPE '\\'))`;
/** The messages of earlier runs; those that were restored without their runs by their place. */
const BEFORE_RUN = `(:run::text IS NULL OR m.run_id < :run OR
  (m.run_id IS NULL AND m.place < (SELECT min(place) FROM messages WHERE profile = :profile AND run_id = :run)))`;

/** Conversations and their messages. Every method runs in the caller's transaction. */
export const conversationTables = {
  get,
  has: async (session: ProfileSession, id: string): Promise<boolean> =>
    (await find(session, id)) !== undefined,
  /** Returns the given conversation, or creates one whose title comes from `goal`. */
  async open(
    session: ProfileSession,
    asked: { id: string | undefined; goal: string; at: string; unknown: "refuse" | "make" },
  ): Promise<string> {
    const { id, goal, at, unknown } = asked;
    if (id !== undefined && (unknown === "refuse" || (await find(session, id))))
      return (await get(session, id)).id;
    const made = id ?? `conv-${ulid()}`;
    const title = titleFromRequest(goal);
    await session.run(
      `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
       VALUES (:profile, :id, :title, :folded, :at, :at)`,
      { id: made, title, folded: foldText(title), at },
    );
    return made;
  },
  /** Stores one message per role and run. A new answer replaces the first. */
  async addMessage(
    session: ProfileSession,
    message: { conversationId: string; runId: string; role: Message["role"]; text: string; at: string },
  ): Promise<void> {
    const { conversationId, runId, role, text, at } = message;
    await session.run(
      `INSERT INTO messages (profile, id, conversation_id, run_id, role, text, text_folded, created_at)
       VALUES (:profile, :id, :conversationId, :runId, :role, :text, :folded, :at)
       ON CONFLICT (profile, id) DO UPDATE SET text = excluded.text, text_folded = excluded.text_folded,
         created_at = excluded.created_at`,
      { id: `${runId}-${role}`, conversationId, runId, role, text, folded: foldText(text), at },
    );
    await touch(session, conversationId, at);
  },
  /** Restores a conversation and its messages without overwriting existing ones. */
  async restore(session: ProfileSession, copy: ConversationCopy): Promise<void> {
    const { id, title, createdAt, updatedAt, pinned = false, messages } = copy;
    await session.run(
      `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at, pinned)
       VALUES (:profile, :id, :title, :folded, :createdAt, :updatedAt, :pinned) ON CONFLICT DO NOTHING`,
      { id, title, folded: foldText(title), createdAt, updatedAt, pinned },
    );
    await touch(session, id, updatedAt);
    // Their runs are restored later, and each adopts its messages.
    for (const { id: message, role, text, createdAt: at } of messages)
      await session.run(
        `INSERT INTO messages (profile, id, conversation_id, role, text, text_folded, created_at)
         VALUES (:profile, :message, :id, :role, :text, :folded, :at) ON CONFLICT DO NOTHING`,
        { message, id, role, text, folded: foldText(text), at },
      );
  },
  /** Assigns messages that were restored before their run to it. */
  linkMessagesToRun: (session: ProfileSession, run: string) =>
    session.run(
      `UPDATE messages SET run_id = :run WHERE profile = :profile AND run_id IS NULL AND id = ANY(:ids::text[])
       AND conversation_id = (SELECT conversation_id FROM runs WHERE profile = :profile AND id = :run)`,
      { run, ids: [`${run}-person`, `${run}-operator`] },
    ),
  async messages(
    session: ProfileSession,
    conversation: string,
    { limit, beforeRun }: { limit?: number | undefined; beforeRun?: string | undefined } = {},
  ): Promise<Message[]> {
    const rows = await session.all(
      MessageRow,
      `SELECT m.id, m.conversation_id, m.run_id, m.role, m.text, m.created_at FROM messages m
       WHERE m.profile = :profile AND m.conversation_id = :conversation AND ${BEFORE_RUN}
       ORDER BY m.place DESC LIMIT :limit`,
      { conversation, run: beforeRun ?? null, limit: limit ?? null },
    );
    return rows.reverse();
  },
  turns,
  summarize: (session: ProfileSession, conversation: string, text: string, through: string) =>
    session.run(
      `INSERT INTO conversation_summaries (profile, conversation_id, text, through)
       SELECT :profile, :conversation, :text, :through
       WHERE EXISTS (SELECT 1 FROM messages WHERE profile = :profile AND id = :through AND conversation_id = :conversation)
       ON CONFLICT (profile, conversation_id) DO UPDATE SET text = excluded.text, through = excluded.through`,
      { conversation, text: plainText(text), through },
    ),
  list,
  async rename(session: ProfileSession, id: string, title: string): Promise<Conversation> {
    await session.run(
      "UPDATE conversations SET title = :title, title_folded = :folded WHERE profile = :profile AND id = :id",
      { id, title, folded: foldText(title) },
    );
    return get(session, id);
  },
  /** Replaces the title `from`; false if the conversation has another one by now. */
  async replaceTitle(
    session: ProfileSession,
    id: string,
    titles: { from: string; to: string },
  ): Promise<boolean> {
    const { from, to } = titles;
    const changed = await session.run(
      `UPDATE conversations SET title = :to, title_folded = :folded
       WHERE profile = :profile AND id = :id AND title = :from`,
      { id, from, to: plainText(to), folded: foldText(plainText(to)) },
    );
    return changed > 0;
  },
  async pin(session: ProfileSession, id: string, pinned: boolean): Promise<Conversation> {
    await session.run("UPDATE conversations SET pinned = :pinned WHERE profile = :profile AND id = :id", {
      id,
      pinned,
    });
    return get(session, id);
  },
  async remove(session: ProfileSession, id: string): Promise<void> {
    await get(session, id);
    // No run is added to a locked conversation.
    await session.run("SELECT 1 FROM conversations WHERE profile = :profile AND id = :id FOR UPDATE", { id });
    const busy = await session.get(
      CountRow,
      `SELECT count(*)::integer AS count FROM runs
       WHERE profile = :profile AND conversation_id = :id AND status IN ('queued', 'running')`,
      { id },
    );
    if ((busy?.count ?? 0) > 0) {
      throw new ConflictError("A run of this conversation is still under way.", {
        suggestions: ["Stop the run first."],
      });
    }
    await session.run("DELETE FROM conversations WHERE profile = :profile AND id = :id", { id });
  },
};

function find(session: ProfileSession, id: string): Promise<Conversation | undefined> {
  return session.get(
    ConversationRow,
    `SELECT ${COLUMNS} FROM conversations c WHERE c.profile = :profile AND c.id = :id`,
    { id },
  );
}

async function get(session: ProfileSession, id: string): Promise<Conversation> {
  const found = await find(session, id);
  if (!found) throw new NotFoundError("There is no such conversation.");
  return found;
}

function touch(session: ProfileSession, id: string, at: string): Promise<number> {
  return session.run(
    "UPDATE conversations SET updated_at = greatest(updated_at, :at) WHERE profile = :profile AND id = :id",
    { id, at },
  );
}

/** The newest turns that the stored summary does not cover, at most `limit`. */
async function turns(
  session: ProfileSession,
  conversation: string,
  { limit, beforeRun }: { limit: number; beforeRun?: string },
): Promise<StoredTurns> {
  const asked = { conversation, run: beforeRun ?? null };
  const stored = await session.get(
    TextRow.extend({ through: z.string() }),
    `SELECT s.text, s.through FROM conversation_summaries s
     JOIN messages m ON m.profile = s.profile AND m.id = s.through
     WHERE s.profile = :profile AND s.conversation_id = :conversation AND ${BEFORE_RUN}`,
    asked,
  );
  const rows = await session.all(
    TurnRow,
    `SELECT m.id, m.role, m.text, m.created_at, r.summary ->> 'outcome' AS outcome
     FROM messages m LEFT JOIN runs r ON r.profile = m.profile AND r.id = m.run_id
     WHERE m.profile = :profile AND m.conversation_id = :conversation AND ${BEFORE_RUN}
       AND (:through::text IS NULL OR m.place > (SELECT place FROM messages WHERE profile = :profile AND id = :through))
     ORDER BY m.place DESC LIMIT :limit`,
    { ...asked, through: stored?.through ?? null, limit },
  );
  rows.reverse();
  const earlier = await session.get(
    CountRow,
    `SELECT count(*)::integer AS count FROM messages m
     WHERE m.profile = :profile AND m.conversation_id = :conversation AND ${BEFORE_RUN}
       AND (:first::text IS NULL OR m.place < (SELECT place FROM messages WHERE profile = :profile AND id = :first))`,
    { ...asked, first: rows[0]?.id ?? null },
  );
  return { turns: rows, earlierTurns: earlier?.count ?? 0, ...(stored && { summary: stored.text }) };
}

async function list(
  session: ProfileSession,
  query: { query?: string; limit: number; cursor?: string },
): Promise<Page<Conversation>> {
  const [pinned, before, beforeId] =
    query.cursor === undefined ? [null, null, null] : decodeCursor(query.cursor, 3);
  const asked = query.query?.trim() ?? "";
  const words = asked === "" ? null : likePattern(asked);
  const rows = await session.all(
    ConversationRow,
    `SELECT ${COLUMNS} FROM conversations c WHERE ${MATCHES}
       AND (:before::text IS NULL OR (c.pinned, c.updated_at, c.id) < (:pinned::boolean, :before, :beforeId))
     ORDER BY c.pinned DESC, c.updated_at DESC, c.id DESC LIMIT :limit`,
    {
      words,
      pinned: pinned === "1",
      before: before ?? null,
      beforeId: beforeId ?? null,
      limit: query.limit + 1,
    },
  );
  const count = await session.get(
    CountRow,
    `SELECT count(*)::integer AS count FROM conversations c WHERE ${MATCHES}`,
    { words },
  );
  const listed = pageOf(rows, {
    limit: query.limit,
    total: count?.count ?? 0,
    keys: (item) => [item.pinned === true ? "1" : "0", item.updatedAt, item.id],
  });
  if (words === null) return listed;
  const items: Conversation[] = [];
  for (const item of listed.items) {
    const found = await newestMatch(session, { conversation: item.id, words });
    items.push(found ? { ...item, match: excerpt(found.text, asked) } : item);
  }
  return { ...listed, items };
}

function newestMatch(session: ProfileSession, asked: Parameters) {
  return session.get(
    TextRow,
    `SELECT m.text FROM messages m JOIN conversations c ON c.profile = m.profile AND c.id = m.conversation_id
     WHERE c.profile = :profile AND c.id = :conversation AND m.text_folded LIKE :words ESCAPE '\\'
       AND c.title_folded NOT LIKE :words ESCAPE '\\'
     ORDER BY m.place DESC LIMIT 1`,
    asked,
  );
}
