import type { NoticePort } from "../notices/notice-port.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";
import type { WatchedPages } from "./watched-pages.ts";

const RETENTION_DAYS = 400;
/** How long rows of agents are kept, in days. Agents start often, and their latest runs have a log of their own. */
const AGENT_RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;

/** The stores whose rows are deleted when they are old. */
export interface RetainedStores {
  ledger: Pick<OccurrenceLedger, "prune">;
  notices: Pick<NoticePort, "prune">;
  watchedPages: Pick<WatchedPages, "prune">;
}

/** Deletes what ended long ago from the ledger of schedules, the notices and the watched pages of one profile. */
export async function deleteOldRows(
  { ledger, notices, watchedPages }: RetainedStores,
  now: Date,
): Promise<void> {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  await ledger.prune({ schedules: ago(RETENTION_DAYS), agents: ago(AGENT_RETENTION_DAYS) });
  await notices.prune(ago(RETENTION_DAYS));
  await watchedPages.prune(ago(RETENTION_DAYS));
}
