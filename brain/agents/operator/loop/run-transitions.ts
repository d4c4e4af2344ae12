import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import type { Observation, Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import { observe } from "../tools/execute-call.ts";

/** The events by which a person changes a run that no process executes. Each function throws `ConflictError` when the run cannot change. */

/** Empty for a run that has already ended. */
export function cancelEvents({ status }: Run): StoredEventBody[] {
  const error = new CancelledError("The run was cancelled.").toDetail();
  return status === "ended" ? [] : [{ type: "run-ended", outcome: "cancelled", error }];
}

export function resumeEvents({ status }: Run): StoredEventBody[] {
  if (status !== "interrupted")
    throw new ConflictError("Only an interrupted run can be resumed.", { context: { status } });
  return [{ type: "run-resumed", reason: "A person asked for it.", status: "queued" }];
}

export function answerEvents(
  { pending, scratchpad }: Run,
  text: string,
  skills: readonly Skill[],
): StoredEventBody[] {
  const open = scratchpad.at(-1);
  if (pending?.kind !== "question" || !open) throw noQuestionError();
  const skill = skills.find(({ id }) => id === open.action?.tool);
  return [
    { type: "observation-made", step: open.step, observation: observeReply(text, skill), durationMs: 0 },
  ];
}

/** The answer to the question that a step of an earlier run asked, as the first step of a run that continues it. */
export function lateAnswerEvents(
  { step, thought, reading, asks, action }: ScratchpadEntry,
  text: string,
  skills: readonly Skill[],
): StoredEventBody[] {
  const skill = skills.find(({ id }) => id === action?.tool);
  return [
    {
      type: "step-planned",
      step,
      thought,
      ...(reading && { reading }),
      ...(asks && { asks }),
      ...(action && { action }),
      planner: "built-in",
    },
    { type: "observation-made", step, observation: observeReply(text, skill), durationMs: 0 },
  ];
}

export function noQuestionError(): ConflictError {
  return new ConflictError("The run does not wait for an answer.");
}

export function resolveApproval(
  { pending }: Run,
  approval: Approval,
  decision: ApprovalDecision,
  reason: string | undefined,
): StoredEventBody[] {
  const { id, step, grantOffer } = approval;
  if (pending?.kind !== "approval" || pending.approvalId !== id) throw notPendingError(approval);
  if (decision === "always" && !grantOffer) {
    throw new ConflictError("This call cannot be allowed permanently.", {
      suggestions: ["Allow it once or for this run."],
    });
  }
  return [
    { type: "approval-resolved", step, approvalId: id, decision, ...(reason !== undefined && { reason }) },
  ];
}

/**
 * Empty when somebody decided meanwhile. The run continues and its planner sees that the approval expired; a run from a
 * backup is interrupted instead.
 */
export function expiryEvents(
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
  return restored
    ? [decided, { type: "run-interrupted", reason: "It was restored from a backup." }]
    : [decided];
}

/** True when a pending approval has passed its expiry time. */
export function isOverdue({ status, expiresAt }: Approval, now: Date): boolean {
  return status === "pending" && expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime();
}

export function notPendingError({ status }: Approval): ConflictError {
  return new ConflictError("This approval has already been decided.", { context: { status } });
}

/** A person's reply as the output of the skill that asked. The reply is never clipped. */
function observeReply(answer: string, skill: Skill | undefined): Observation {
  const outputs = { answer };
  if (skill?.output.safeParse(outputs).success)
    return observe(skill, outputs, { mode: "narrative", maxCharacters: Infinity });
  return { mode: "narrative", content: answer, success: true, outputs };
}
