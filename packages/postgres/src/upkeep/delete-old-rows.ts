import { z } from "zod";
import { deleteOldRows } from "@metahuman/core/schedules/retention";
import { openPostgresNotices } from "../notices/open-notices.ts";
import type { Postgres } from "../open-postgres.ts";
import { openPostgresLedger } from "../schedules/open-occurrence-ledger.ts";
import { openPostgresWatchedPages } from "../schedules/watched-pages.ts";

const RowsRow = z.object({ rows: z.string() });

/**
 * Deletes old rows of every profile, whether a server has it open or not, and counters of sign-in attempts that have expired.
 * Each profile has transactions of its own, so it may be cut off and repeated. Throws the signal's reason.
 */
export async function deleteOldRowsOfAll(database: Postgres, signal: AbortSignal): Promise<void> {
  const profiles = await database.inSystem(async (session) => {
    await session.run("DELETE FROM login_limits WHERE expire < :now", { now: session.now.getTime() });
    return session.all(
      RowsRow,
      `SELECT a.username || coalesce('#' || r.count, '') AS rows
       FROM accounts a LEFT JOIN removed_profiles r USING (username) ORDER BY rows`,
    );
  });
  for (const { rows } of profiles) {
    signal.throwIfAborted();
    const stores = {
      ledger: openPostgresLedger(database, rows),
      notices: openPostgresNotices(database, rows, { channels: () => [], onChange: () => undefined }),
      watchedPages: openPostgresWatchedPages(database, rows),
    };
    await deleteOldRows(stores, database.clock());
  }
}
