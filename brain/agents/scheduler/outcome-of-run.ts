import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { Run } from "@metahuman/core/contract/run";

/** What a run that has ended means for its occurrence. */
export type RunResult =
  | { state: "succeeded"; outcome: string; text: string }
  | { state: "skipped"; outcome: string; reason: string }
  | { state: "failed"; outcome: string; reason: string; isTransient: boolean };

/** Errors that may be over at the next attempt. */
const TRANSIENT: ReadonlySet<string> = new Set<ErrorCode>([
  "NETWORK_ERROR",
  "TIMEOUT",
  "RATE_LIMITED",
  "MODEL_UNAVAILABLE",
  "SERVER_BUSY",
]);

export function isTransient(code: string | undefined): boolean {
  return code !== undefined && TRANSIENT.has(code);
}

/**
 * A run succeeded if it was answered and not everything that it tried failed. An answer of the built-in planner to a request
 * that it did not understand did nothing, and counts as failed.
 */
export function outcomeOfRun(run: Run): RunResult {
  const { outcome = "failed", error, result = "", scratchpad, planner } = run;
  if (outcome === "cancelled")
    return { state: "skipped", outcome, reason: "It was cancelled before it was done." };
  const observations = scratchpad.flatMap(({ observation }) => observation ?? []);
  const failure = observations.findLast(({ success }) => !success)?.error;
  if (outcome === "answered") {
    if (observations.length > 0 && observations.every(({ success }) => !success))
      return failed(outcome, failure?.message ?? result, failure?.code);
    if (observations.length === 0 && planner === "built-in")
      return failed(outcome, `Nothing was done. ${firstLine(result)}`, undefined);
    return { state: "succeeded", outcome, text: result };
  }
  return failed(outcome, error?.message ?? firstLine(result), error?.code ?? failure?.code);
}

function failed(outcome: string, reason: string, code: string | undefined): RunResult {
  return {
    state: "failed",
    outcome,
    reason: reason === "" ? "It ended without a result." : reason,
    isTransient: isTransient(code),
  };
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 500) ?? "";
