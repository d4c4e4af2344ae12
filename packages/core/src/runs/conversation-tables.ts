import { z } from "zod";
import { Conversation, Message } from "../contract/conversation.ts";
import { RunOutcome } from "../contract/run.ts";
import type { Database } from "../database/open-database.ts";
import type { Page } from "../contract/http.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { oneLine, truncate } from "../text/format.ts";
import { titleFromRequest } from "../text/strip-markdown.ts";
import { CountRow, decodeCursor, likePattern, pageOf } from "../database/rows.ts";
import type { ConversationCopy } from "./run-copy.ts";
import type { StoredTurns } from "./run-store.ts";
import { ulid } from "../text/ulid.ts";
import { foldText } from "../text/words.ts";

const MAX_MATCH = 160;
/** The maximum number of characters of a match before the words that were searched. */
const MAX_BEFORE = 24;

const ConversationRow = z
  .object({
    id: z.string(),
    title: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    message_count: z.int(),
    pinned: z.int(),
  })
  .transform((row) => ({
    id: row.id,
    title: row.title,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    messageCount: row.message_count,
    ...(row.pinned === 1 && { pinned: true }),
  }))
  .pipe(Conversation);

const MatchRow = z.object({ text: z.string() });

export const MessageRow = z
  .object({
    id: z.string(),
    conversation_id: z.string(),
    run_id: z.string().nullable(),
    role: z.string(),
    text: z.string(),
    created_at: z.string(),
  })
  .transform((row): Message =>
    Message.parse({
      id: row.id,
      conversationId: row.conversation_id,
      role: row.role,
      text: row.text,
      ...(row.run_id !== null && { runId: row.run_id }),
      createdAt: row.created_at,
    }),
  );

/** A message with the outcome of its run. */
export const TurnRow = z
  .object({
    id: z.string(),
    role: z.enum(["person", "operator"]),
    text: z.string(),
    created_at: z.string(),
    outcome: RunOutcome.nullable(),
  })
  .transform(({ created_at: at, outcome, ...row }) => ({
    ...row,
    at,
    // A run that was stopped has no answer that could say so.
    ...((row.role === "operator" || outcome === "cancelled") &&
      outcome !== null &&
      outcome !== "answered" && { outcome }),
  }));
const SummaryRow = z.object({ text: z.string(), through: z.string() });

const COLUMNS =
  "c.id, c.title, c.created_at, c.updated_at, c.pinned, (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS message_count";
const MATCHES = `(:words IS NULL OR c.title_folded LIKE :words ESCAPE '\\' OR EXISTS
  (SELECT 1 FROM messages m WHERE m.conversation_id = c.id AND m.text_folded LIKE :words ESCAPE '\\'))`;

/** The part of a message around the words that were searched: one line of at most `MAX_MATCH` characters. */
export function excerpt(text: string, words: string): string {
  const line = oneLine(text.normalize("NFKC"));
  const at = Math.max(0, line.toLowerCase().indexOf(oneLine(foldText(words))));
  // A list shows about two lines of a narrow column.
  const from = at < MAX_BEFORE ? 0 : line.lastIndexOf(" ", at - MAX_BEFORE / 2) + 1;
  return truncate(`${from > 0 ? "… " : ""}${line.slice(from)}`, MAX_MATCH);
}

function conversationStatements(database: Database) {
  return {
    byId: database.query(`SELECT ${COLUMNS} FROM conversations c WHERE c.id = ?`, ConversationRow),
    page: database.query(
      `SELECT ${COLUMNS} FROM conversations c
       WHERE ${MATCHES} AND (:before IS NULL OR (c.pinned, c.updated_at, c.id) < (:pinned, :before, :beforeId))
       ORDER BY c.pinned DESC, c.updated_at DESC, c.id DESC LIMIT :limit`,
      ConversationRow,
    ),
    count: database.query(`SELECT count(*) AS count FROM conversations c WHERE ${MATCHES}`, CountRow),
    insert: database.command(
      "INSERT INTO conversations (id, title, title_folded, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
    ),
    touch: database.command("UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?"),
    retitle: database.command("UPDATE conversations SET title = ?, title_folded = ? WHERE id = ?"),
    replaceTitle: database.command(
      "UPDATE conversations SET title = :to, title_folded = :folded WHERE id = :id AND title = :from",
    ),
    pin: database.command("UPDATE conversations SET pinned = ? WHERE id = ?"),
    remove: database.command("DELETE FROM conversations WHERE id = ?"),
    unfinishedRuns: database.query(
      "SELECT count(*) AS count FROM runs WHERE conversation_id = ? AND status IN ('queued', 'running')",
      CountRow,
    ),
  };
}

/** The messages of earlier runs. Messages that were restored without their runs are compared by their position. */
const BEFORE_RUN = `(:run IS NULL OR m.run_id < :run OR
  (m.run_id IS NULL AND m.rowid < (SELECT min(rowid) FROM messages WHERE run_id = :run)))`;

function messageStatements(database: Database) {
  return {
    newest: database.query(
      `SELECT m.id, m.conversation_id, m.run_id, m.role, m.text, m.created_at FROM messages m
       WHERE m.conversation_id = :conversation AND ${BEFORE_RUN}
       ORDER BY m.rowid DESC LIMIT :limit`,
      MessageRow,
    ),
    newestMatch: database.query(
      `SELECT m.text FROM messages m JOIN conversations c ON c.id = m.conversation_id
       WHERE c.id = :conversation AND m.text_folded LIKE :words ESCAPE '\\' AND c.title_folded NOT LIKE :words ESCAPE '\\'
       ORDER BY m.rowid DESC LIMIT 1`,
      MatchRow,
    ),
    turnsAfter: database.query(
      `SELECT m.id, m.role, m.text, m.created_at, r.summary ->> 'outcome' AS outcome
       FROM messages m LEFT JOIN runs r ON r.id = m.run_id
       WHERE m.conversation_id = :conversation AND ${BEFORE_RUN}
         AND (:through IS NULL OR m.rowid > (SELECT rowid FROM messages WHERE id = :through))
       ORDER BY m.rowid DESC LIMIT :limit`,
      TurnRow,
    ),
    countBefore: database.query(
      `SELECT count(*) AS count FROM messages m WHERE m.conversation_id = :conversation AND ${BEFORE_RUN}
         AND (:first IS NULL OR m.rowid < (SELECT rowid FROM messages WHERE id = :first))`,
      CountRow,
    ),
    addMessage: database.command(
      `INSERT INTO messages (id, conversation_id, run_id, role, text, text_folded, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET text = excluded.text, text_folded = excluded.text_folded, created_at = excluded.created_at`,
    ),
    summary: database.query(
      `SELECT s.text, s.through FROM conversation_summaries s JOIN messages m ON m.id = s.through
       WHERE s.conversation_id = :conversation AND ${BEFORE_RUN}`,
      SummaryRow,
    ),
    saveSummary: database.command(
      `INSERT INTO conversation_summaries (conversation_id, text, through)
       SELECT :conversation, :text, :through WHERE EXISTS (SELECT 1 FROM messages WHERE id = :through AND conversation_id = :conversation)
       ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text, through = excluded.through`,
    ),
  };
}

/** Statements that insert missing conversations and messages, and connect them with their runs. */
function restoreStatements(database: Database) {
  return {
    insertConversation: database.command(
      "INSERT INTO conversations (id, title, title_folded, created_at, updated_at, pinned) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
    ),
    insertMessage: database.command(
      `INSERT INTO messages (id, conversation_id, role, text, text_folded, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    ),
    linkToRun: database.command(
      `UPDATE messages SET run_id = :run WHERE run_id IS NULL AND id IN (:run || '-person', :run || '-operator')
       AND conversation_id = (SELECT conversation_id FROM runs WHERE id = :run)`,
    ),
  };
}

/**
 * Conversations and their messages. `unknownIds` says whether a request for an unknown conversation is refused or makes one. Methods
 * that write require the caller's transaction.
 */
export function conversationTables(database: Database, unknownIds: "refuse" | "make") {
  const { byId, page, count, insert, touch, retitle, replaceTitle, pin, remove, unfinishedRuns } =
    conversationStatements(database);
  const { newest, newestMatch, turnsAfter, countBefore, addMessage, summary, saveSummary } =
    messageStatements(database);
  const { insertConversation, insertMessage, linkToRun } = restoreStatements(database);

  const get = (id: string): Conversation => {
    const found = byId.get(id);
    if (!found) throw new NotFoundError("There is no such conversation.");
    return found;
  };

  return {
    get,
    has: (id: string) => byId.get(id) !== undefined,
    /** Returns the given conversation, or creates one whose title comes from `goal`. */
    open(id: string | undefined, goal: string, at: string): string {
      if (id !== undefined && (unknownIds === "refuse" || byId.get(id))) return get(id).id;
      const created = id ?? `conv-${ulid()}`;
      const title = titleFromRequest(goal);
      insert.run(created, title, foldText(title), at, at);
      return created;
    },
    /** Stores one message per role and run. A new answer replaces the first. */
    addMessage(message: {
      conversationId: string;
      runId: string;
      role: Message["role"];
      text: string;
      at: string;
    }): void {
      const { conversationId, runId, role, text, at } = message;
      addMessage.run(`${runId}-${role}`, conversationId, runId, role, text, foldText(text), at);
      touch.run(at, conversationId);
    },
    /** Restores a conversation and its messages without overwriting existing ones. */
    restore({ id, title, createdAt, updatedAt, pinned, messages }: ConversationCopy): void {
      insertConversation.run(id, title, foldText(title), createdAt, updatedAt, pinned === true ? 1 : 0);
      touch.run(updatedAt, id);
      // Their runs are restored later, and each is linked to its messages.
      for (const { id: message, role, text, createdAt: at } of messages)
        insertMessage.run(message, id, role, text, foldText(text), at);
    },
    /** Assigns messages that were restored before their run to it. */
    linkMessagesToRun: (runId: string) => void linkToRun.run({ run: runId }),
    messages(conversationId: string, limit: number, beforeRun?: string): Message[] {
      return newest.all({ conversation: conversationId, run: beforeRun ?? null, limit }).reverse();
    },
    /** The newest turns that the stored summary does not cover, at most `limit`. */
    turns(conversationId: string, limit: number, beforeRun?: string): StoredTurns {
      const parameters = { conversation: conversationId, run: beforeRun ?? null };
      const stored = summary.get(parameters);
      const rows = turnsAfter.all({ ...parameters, through: stored?.through ?? null, limit }).reverse();
      return {
        turns: rows,
        earlierTurns: countBefore.get({ ...parameters, first: rows[0]?.id ?? null })?.count ?? 0,
        ...(stored && { summary: stored.text }),
      };
    },
    summarize: (conversationId: string, text: string, through: string) =>
      void saveSummary.run({ conversation: conversationId, text, through }),
    list(query: { query?: string; limit: number; cursor?: string }): Page<Conversation> {
      const [pinned, before, beforeId] =
        query.cursor === undefined ? [null, null, null] : decodeCursor(query.cursor, 3);
      const searchText = query.query?.trim() ?? "";
      const words = searchText === "" ? null : likePattern(searchText);
      const rows = page.all({ words, pinned: Number(pinned), before, beforeId, limit: query.limit + 1 });
      const total = count.get({ words })?.count ?? 0;
      const listed = pageOf(rows, {
        limit: query.limit,
        total,
        keys: (item) => [item.pinned === true ? "1" : "0", item.updatedAt, item.id],
      });
      if (words === null) return listed;
      const items = listed.items.map((item) => {
        const found = newestMatch.get({ conversation: item.id, words });
        return found ? { ...item, match: excerpt(found.text, searchText) } : item;
      });
      return { ...listed, items };
    },
    rename(id: string, title: string): Conversation {
      retitle.run(title, foldText(title), id);
      return get(id);
    },
    /** Replaces the title `from`; false if the conversation has another one by now. */
    replaceTitle: (id: string, { from, to }: { from: string; to: string }): boolean =>
      replaceTitle.run({ id, from, to, folded: foldText(to) }).changes > 0,
    pin(id: string, pinned: boolean): Conversation {
      pin.run(pinned ? 1 : 0, id);
      return get(id);
    },
    remove(id: string): void {
      get(id);
      if ((unfinishedRuns.get(id)?.count ?? 0) > 0) {
        throw new ConflictError("A run of this conversation is still under way.", {
          suggestions: ["Stop the run first."],
        });
      }
      remove.run(id);
    },
  };
}
