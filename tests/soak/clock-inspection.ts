import type { Profile } from "@metahuman/boot/brain";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import type { ClockReport } from "./clock-report.ts";

/** The number of turns after which a summary must have been extended, even if a restart ended one attempt. */
const MAX_UNSUMMARIZED_TURNS = 60;

/** Checks that each expired approval is in the audit log once, and that none is still pending. */
export async function inspectApprovals(profile: Profile, { problems, done }: ClockReport): Promise<void> {
  const expired = new Map<unknown, number>();
  let cursor: string | undefined;
  do {
    const page = await profile.audit.search({
      event: "approval_decided",
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { details } of page.items)
      if (details["decision"] === "expired")
        expired.set(details["approvalId"], (expired.get(details["approvalId"]) ?? 0) + 1);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  for (const [id, times] of expired)
    if (times !== 1) problems.push(`approval ${String(id)} expired ${String(times)} times`);
  const page = await profile.approvals.list({ limit: 100 });
  const inStore = page.items.filter(({ status }) => status === "expired");
  for (const { id } of inStore) if (!expired.has(id)) problems.push(`approval ${id} expired unnoted`);
  for (const { id, status } of page.items)
    if (status === "pending") problems.push(`approval ${id} still waits`);
  done["approvals that expired"] = expired.size;
}

/** Checks that a long conversation has a summary and few turns outside of it. */
export async function inspectSummaries(
  stateDatabase: string,
  conversationId: string,
  problems: string[],
): Promise<void> {
  const database = openDatabase(stateDatabase, stateMigrations, { title: "state" });
  const store = openRunStore(database);
  const { turns, summary = "" } = await store.turns(conversationId, { limit: 1_000 });
  await store.close();
  if (summary === "") problems.push("a long conversation has no summary");
  if (turns.length > MAX_UNSUMMARIZED_TURNS)
    problems.push(`${String(turns.length)} turns of a conversation are not in its summary`);
}
