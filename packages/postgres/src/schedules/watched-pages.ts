import { z } from "zod";
import { PageRow, type PageSnapshot, type WatchedPages } from "@metahuman/core/schedules/watched-pages";
import type { Postgres } from "../open-postgres.ts";
import { plainText } from "../session.ts";

const WatchedRow = PageRow.extend({ is_answered: z.boolean() });

export function openPostgresWatchedPages(database: Postgres, profile: string): WatchedPages {
  return {
    replace: ({ scheduleId: watcher = "", url, runId }, found) =>
      database.inProfile(profile, async (session) => {
        // The content of a deleted run was reported; unreported content was removed when the run was deleted.
        const row = await session.get(
          WatchedRow,
          `SELECT told_text, told_at, seen_text, seen_at, seen_by, NOT EXISTS (SELECT 1 FROM runs
             WHERE profile = :profile AND id = seen_by AND coalesce(summary ->> 'outcome', '') <> 'answered') AS is_answered
           FROM watched_pages WHERE profile = :profile AND watcher = :watcher AND url = :url FOR UPDATE`,
          { watcher, url },
        );
        const reported = reportedBefore(row, runId);
        const seen = { ...found, text: plainText(found.text) };
        const { text, at } = reported?.text === seen.text ? reported : seen;
        await session.run(
          `INSERT INTO watched_pages (profile, watcher, url, told_text, told_at, seen_text, seen_at, seen_by, looked_at)
           VALUES (:profile, :watcher, :url, :toldText, :toldAt, :text, :at, :runId, :now)
           ON CONFLICT (profile, watcher, url) DO UPDATE SET told_text = excluded.told_text,
             told_at = excluded.told_at, seen_text = excluded.seen_text, seen_at = excluded.seen_at,
             seen_by = excluded.seen_by, looked_at = excluded.looked_at`,
          {
            ...{ watcher, url, runId, text, at, now: session.now.toISOString() },
            ...{ toldText: reported?.text ?? null, toldAt: reported?.at ?? null },
          },
        );
        return reported;
      }),
    prune: async (before) =>
      void (await database.inProfile(profile, (session) =>
        session.run("DELETE FROM watched_pages WHERE profile = :profile AND looked_at < :before", { before }),
      )),
  };
}

/** The last report to the person, before this run. */
function reportedBefore(
  row: z.output<typeof WatchedRow> | undefined,
  runId: string,
): PageSnapshot | undefined {
  if (!row) return undefined;
  if (row.is_answered && row.seen_by !== runId) return { text: row.seen_text, at: row.seen_at };
  return row.told_text === null || row.told_at === null
    ? undefined
    : { text: row.told_text, at: row.told_at };
}
