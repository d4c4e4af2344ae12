import type { Run, RunOutcome } from "@metahuman/core/contract/run";

/** How a run ended without an answer; undefined for one that answered or goes on. */
export function endedWithoutAnswer({
  status,
  outcome,
}: Pick<Run, "status" | "outcome">): Exclude<RunOutcome, "answered"> | "interrupted" | undefined {
  if (status === "interrupted") return "interrupted";
  return outcome === "answered" ? undefined : outcome;
}

/** Whether the rules denied a call of a run. */
export const hasDeniedCall = ({ scratchpad }: Pick<Run, "scratchpad">): boolean =>
  scratchpad.some(({ observation }) => observation?.error?.code === "POLICY_DENIED");
