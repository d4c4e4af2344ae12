import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { Committed } from "@metahuman/core/runs/run-store";
import type { RunAccess } from "./run-access.ts";
import { denialOf, effectivePolicy } from "./loop/effective-policy.ts";
import { expiryEvents, isOverdue, notPendingError, resolveApproval } from "./loop/run-transitions.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import type { OperatorOptions } from "./operator-options.ts";

/** Decides approvals for persons, and expires those that nobody decided in time. */
export interface ApprovalDecisions {
  /** Throws `PolicyDeniedError` if a call is allowed that the profile's policy forbids by now; it stays pending. */
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
    | "adopt"
    | "audit"
    | "clock"
    | "expectChanges"
    | "logger"
    | "mayHoldWaitingRuns"
    | "persistent"
    | "settings"
    | "username"
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

  /** Throws if the call would be denied now, so that no history says that a forbidden call was allowed. */
  async function confirmPolicyAllows({ runId, status, tool, effect, risk }: Approval): Promise<void> {
    if (status !== "pending") return;
    options.expectChanges();
    const [{ identity }, settings] = await Promise.all([persistent.store.request(runId), options.settings()]);
    const policy = { ...effectivePolicy(identity, settings), overrides: settings.skillOverrides };
    const reason = denialOf({ skill: tool, effect, risk }, policy, options.clock());
    if (reason === undefined) return;
    throw new PolicyDeniedError(reason, {
      suggestions: ["Deny it, or change what may be done under Settings → Trust and skills."],
    });
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
      if (decision !== "deny") await confirmPolicyAllows(approval);
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
