import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import type { Observation, Run } from "@metahuman/core/contract/run";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import { observe } from "../tools/observe.ts";

/** What a person's wish makes of a run that nobody carries out at this moment. Each throws `ConflictError` when it cannot. */

/** Nothing, when it has ended already. */
export function cancelled({ status }: Run): StoredEventBody[] {
  const error = new CancelledError("The run was cancelled.").toDetail();
  return status === "ended" ? [] : [{ type: "run-ended", outcome: "cancelled", error }];
}

export function resumed({ status }: Run): StoredEventBody[] {
  if (status !== "interrupted")
    throw new ConflictError("Only an interrupted run can be resumed.", { context: { status } });
  return [{ type: "run-resumed", reason: "A person asked for it.", status: "queued" }];
}

export function answered(
  { pending, scratchpad }: Run,
  text: string,
  skills: readonly Skill[],
): StoredEventBody[] {
  const open = scratchpad.at(-1);
  if (pending?.kind !== "question" || !open) throw notAsking();
  const skill = skills.find(({ id }) => id === open.action?.tool);
  return [{ type: "observation-made", step: open.step, observation: replyAs(text, skill), durationMs: 0 }];
}

export function notAsking(): ConflictError {
  return new ConflictError("The run does not wait for an answer.");
}

export function resolved(
  { pending }: Run,
  approval: Approval,
  decision: ApprovalDecision,
  reason: string | undefined,
): StoredEventBody[] {
  const { id, step, grantOffer } = approval;
  if (pending?.kind !== "approval" || pending.approvalId !== id) throw notPending(approval);
  if (decision === "always" && !grantOffer) {
    throw new ConflictError("A standing permission is not offered for this call.", {
      suggestions: ["Allow it once or for this run."],
    });
  }
  return [
    { type: "approval-resolved", step, approvalId: id, decision, ...(reason !== undefined && { reason }) },
  ];
}

/**
 * Nothing, when somebody decided meanwhile. The run goes on: its planner is told that nobody decided. One that came with a
 * backup waits for a person instead.
 */
export function expired(
  { pending }: Run,
  { id, step }: Approval,
  { restored }: { restored: boolean },
): StoredEventBody[] {
  if (pending?.kind !== "approval" || pending.approvalId !== id) return [];
  const decided: StoredEventBody = {
    type: "approval-resolved",
    step,
    approvalId: id,
    decision: "deny",
    expired: true,
  };
  return restored ? [decided, { type: "run-interrupted", reason: "It came with a backup." }] : [decided];
}

/** Whether the time for deciding has passed. */
export function isOverdue({ status, expiresAt }: Approval, now: Date): boolean {
  return status === "pending" && expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}

export function notPending({ status }: Approval): ConflictError {
  return new ConflictError("This approval is not waiting for a decision any more.", { context: { status } });
}

/** A person's reply as the output of the skill that asked; their own words are never clipped. */
function replyAs(answer: string, skill: Skill | undefined): Observation {
  const outputs = { answer };
  if (skill?.output.safeParse(outputs).success)
    return observe(skill, outputs, { mode: "narrative", maxCharacters: Infinity });
  return { mode: "narrative", content: answer, success: true, outputs };
}
