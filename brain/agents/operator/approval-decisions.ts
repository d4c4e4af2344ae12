import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { Committed } from "@metahuman/core/runs/run-store";
import type { RunAccess } from "./run-access.ts";
import { expiryEvents, isOverdue, notPendingError, resolveApproval } from "./loop/run-transitions.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import type { OperatorOptions } from "./operator-options.ts";

/** Decides approvals for persons, and expires those that nobody decided in time. */
export interface ApprovalDecisions {
  decide(approvalId: string, decision: ApprovalDecision, reason?: string): Promise<Approval>;
  /** Expires every pending approval that is past its time. */
  expire(): Promise<void>;
  /** Stops expiring approvals in the background. */
  close(): void;
}

/** How often overdue approvals are expired, in milliseconds. */
const EXPIRY_INTERVAL_MS = 30_000;
/** How many pending approvals one pass checks. */
const MAX_CHECKED = 500;

/** A long-lived process also expires approvals in the background. */
export function createApprovalDecisions(
  options: Pick<
    OperatorOptions,
    "adopt" | "audit" | "clock" | "logger" | "mayHoldWaitingRuns" | "persistent" | "username"
  >,
  { publish }: Pick<RunAccess, "publish">,
): ApprovalDecisions {
  const { persistent, logger } = options;

  /** The decision counts even when the audit log cannot be written. */
  async function auditDecision(
    approval: Approval,
    decision: ApprovalDecision | "expired",
    reason: string | undefined,
  ): Promise<void> {
    const { id, runId, tool, argsHash, targetSource } = approval;
    const details = {
      approvalId: id,
      skill: tool,
      argsHash,
      decision,
      ...(targetSource && { target: targetSource.text }),
      ...(reason !== undefined && { reason }),
    };
    try {
      await options.audit.append({ event: "approval_decided", runId, actor: options.username, details });
    } catch (error) {
      logger.error({ err: error, runId }, "the audit log could not be written");
    }
  }

  async function expire(): Promise<void> {
    for (const { approval, committed } of await expireOverdueApprovals(persistent, options.clock())) {
      await auditDecision(approval, "expired", undefined);
      await publish(persistent, committed);
    }
  }

  const mayFindWork = options.mayHoldWaitingRuns ?? (() => true);
  const timer = options.adopt
    ? setInterval(() => {
        if (!mayFindWork()) return;
        expire().catch((error: unknown) =>
          logger.error({ err: error }, "overdue approvals could not be expired"),
        );
      }, EXPIRY_INTERVAL_MS).unref()
    : undefined;

  return {
    expire,
    close: () => clearInterval(timer),
    async decide(approvalId, decision, reason) {
      await expire();
      const approval = await persistent.store.approval(approvalId);
      const committed = await changeIdleRun(persistent, approval.runId, (run) =>
        resolveApproval(run, approval, decision, reason),
      );
      if (!committed) throw notPendingError(approval);
      await auditDecision(approval, decision, reason);
      await publish(persistent, committed);
      return persistent.store.approval(approvalId);
    },
  };
}

/** An expired approval, and the events it committed on its run. */
interface Expired {
  approval: Approval;
  committed: Committed;
}

/** Expires every pending approval that is past its time. */
async function expireOverdueApprovals(storage: RunStorage, now: Date): Promise<Expired[]> {
  const { store } = storage;
  const { items } = await store.approvals({ status: "pending", limit: MAX_CHECKED });
  const expiredApprovals: Expired[] = [];
  for (const approval of items.filter((one) => isOverdue(one, now))) {
    const { restored = false } = await store.request(approval.runId);
    const committed = await changeIdleRun(storage, approval.runId, (run) =>
      expiryEvents(run, approval, { restored }),
    );
    if (committed && committed.events.length > 0) expiredApprovals.push({ approval, committed });
  }
  return expiredApprovals;
}
