import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { CountRow } from "../database/rows.ts";

/** The text of a page and when it was first found like this. */
export interface PageSnapshot {
  text: string;
  /** ISO 8601. */
  at: string;
}

/** The schedule or request that watches a page. */
export interface PageWatcher {
  /** The schedule whose occurrence checks the page; absent for a request of a person. */
  scheduleId?: string | undefined;
  url: string;
  runId: string;
}

/**
 * The content of watched pages at the last report to the person: for each schedule, and for the person's own requests.
 */
export interface WatchedPages {
  /**
   * Stores the content that a run found, and resolves to the last reported content; undefined the first time. Content
   * counts as reported when the run has been answered: a run that is repeated, or follows one that failed, compares
   * with the same snapshot again, so that a change is neither lost nor reported twice.
   */
  replace(watcher: PageWatcher, found: PageSnapshot): Promise<PageSnapshot | undefined>;
  /** Deletes pages that were not checked since then. Those of a schedule are deleted with its next moment. */
  prune(before: string): Promise<void>;
}

export const PageRow = z.object({
  told_text: z.string().nullable(),
  told_at: z.string().nullable(),
  seen_text: z.string(),
  seen_at: z.string(),
  seen_by: z.string(),
});

/** Opens the watched pages of a profile on its `state.db`, opened with `stateMigrations`. */
export function openWatchedPages(
  database: Database,
  { clock = () => new Date() }: { clock?: () => Date } = {},
): WatchedPages {
  const page = database.query(
    "SELECT told_text, told_at, seen_text, seen_at, seen_by FROM watched_pages WHERE watcher = ? AND url = ?",
    PageRow,
  );
  const put = database.command(
    `INSERT OR REPLACE INTO watched_pages (watcher, url, told_text, told_at, seen_text, seen_at, seen_by, looked_at)
     VALUES (:watcher, :url, :toldText, :toldAt, :text, :at, :runId, :now)`,
  );
  const unanswered = database.query(
    "SELECT count(*) AS count FROM runs WHERE id = ? AND coalesce(json_extract(summary, '$.outcome'), '') <> 'answered'",
    CountRow,
  );
  const remove = database.command("DELETE FROM watched_pages WHERE looked_at < ?");

  function reportedBefore(
    row: z.output<typeof PageRow> | undefined,
    runId: string,
  ): PageSnapshot | undefined {
    if (!row) return undefined;
    // The content that an unanswered run found is deleted with the run.
    const isReported = row.seen_by !== runId && unanswered.get(row.seen_by)?.count === 0;
    if (isReported) return { text: row.seen_text, at: row.seen_at };
    return row.told_text === null || row.told_at === null
      ? undefined
      : { text: row.told_text, at: row.told_at };
  }

  return {
    replace: async ({ scheduleId: watcher = "", url, runId }, found) =>
      database.durably(() => {
        const reported = reportedBefore(page.get(watcher, url), runId);
        const { text, at } = reported?.text === found.text ? reported : found;
        const now = clock().toISOString();
        put.run({
          ...{ watcher, url, runId, text, at, now },
          ...{ toldText: reported?.text ?? null, toldAt: reported?.at ?? null },
        });
        return reported;
      }),
    prune: async (before) => database.transaction(() => void remove.run(before)),
  };
}
