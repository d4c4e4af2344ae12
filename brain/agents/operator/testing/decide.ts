import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import type { Run } from "@metahuman/core/contract/run";
import type { TestOperator } from "./open-operator.ts";

/** The approval that a run waits for. */
export function approvalOf({ pending }: Run): string {
  if (pending?.kind !== "approval") throw new Error(`waits for ${pending?.kind ?? "nothing"}`);
  return pending.approvalId;
}

/** Makes the decision that the run waits for, and waits until it pauses or ends. */
export async function decideAndWait(
  { operator }: Pick<TestOperator, "operator">,
  run: Run,
  decision: ApprovalDecision,
  reason?: string,
): Promise<Run> {
  await operator.decide(approvalOf(run), decision, reason);
  return operator.settled(run.id);
}
