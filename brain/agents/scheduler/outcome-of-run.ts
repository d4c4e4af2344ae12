import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { Run } from "@metahuman/core/contract/run";
import { webWatch, WebWatchOutput } from "@metahuman/skills/web-watch/skill";

/** The result of an ended run for its occurrence. */
export type RunResult =
  | { state: "succeeded"; outcome: string; text: string; watched?: WatchedChange }
  | { state: "skipped"; outcome: string; reason: string }
  | { state: "failed"; outcome: string; reason: string; isTransient: boolean };

/** The result for watched pages: no change, or the addresses of the changed ones. */
export type WatchedChange = "unchanged" | readonly string[];

/** Errors that may not recur at the next attempt. */
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
 * A run succeeded if it was answered and not all of its calls failed. If the built-in planner did not
 * understand the request, the run failed.
 */
export function outcomeOfRun(run: Run): RunResult {
  const { outcome = "failed", error, result = "", scratchpad, planner } = run;
  if (outcome === "cancelled")
    return { state: "skipped", outcome, reason: "It was cancelled before it was done." };
  const observations = scratchpad.flatMap(({ observation }) => observation ?? []);
  const failure = observations.findLast(({ success }) => !success)?.error;
  if (outcome === "answered") {
    if (observations.length > 0 && observations.every(({ success }) => !success))
      return failedRun(outcome, failure?.message ?? result, failure?.code);
    if (observations.length === 0 && planner === "built-in")
      return failedRun(outcome, `Nothing was done. ${firstLine(result)}`, undefined);
    const watched = watchedChange(run);
    const isWatch = watched !== undefined;
    return {
      state: "succeeded",
      outcome: !isWatch ? outcome : watched === "unchanged" ? "unchanged" : "changed",
      text: result,
      ...(isWatch && { watched }),
    };
  }
  return failedRun(outcome, error?.message ?? firstLine(result), error?.code ?? failure?.code);
}

/** Undefined for the first check of a page, and for a run that also did something else unless a page has changed. */
function watchedChange({ scratchpad }: Run): WatchedChange | undefined {
  const results = scratchpad.flatMap(({ action, observation }) =>
    action?.tool === webWatch.id && observation?.success === true
      ? [WebWatchOutput.parse(observation.outputs)]
      : [],
  );
  const changed = results.filter(({ state }) => state === "changed").map(({ url }) => url);
  if (changed.length > 0) return changed;
  const calls = scratchpad.filter(({ observation }) => observation !== undefined);
  return calls.length === results.length && results.every(({ state }) => state === "unchanged")
    ? "unchanged"
    : undefined;
}

function failedRun(outcome: string, reason: string, code: string | undefined): RunResult {
  return {
    state: "failed",
    outcome,
    reason: reason === "" ? "It ended without a result." : reason,
    isTransient: isTransient(code),
  };
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 500) ?? "";
