import type { Approval } from "@metahuman/core/contract/approval";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { Committed } from "@metahuman/core/runs/run-store";
import type { RunStorage } from "./loop/run-scheduler.ts";
import { expired, isOverdue } from "./steering.ts";

/** How often is looked for approvals whose time has passed, in milliseconds. */
export const LOOK_FOR_OVERDUE_MS = 30_000;
/** More than this wait for a person in no profile that is still looked after. */
const LOOKED_AT = 500;

/** One approval that nobody decided about in time, and what became of its run. */
export interface Expired {
  approval: Approval;
  committed: Committed;
}

/** Ends the waiting of every call whose time for a decision has passed. */
export async function expireOverdue(storage: RunStorage, now: Date): Promise<Expired[]> {
  const { store } = storage;
  const { items } = await store.approvals({ status: "pending", limit: LOOKED_AT });
  const found: Expired[] = [];
  for (const approval of items.filter((one) => isOverdue(one, now))) {
    const { restored = false } = await store.request(approval.runId);
    const committed = await changeIdleRun(storage, approval.runId, (run) =>
      expired(run, approval, { restored }),
    );
    if (committed && committed.events.length > 0) found.push({ approval, committed });
  }
  return found;
}
