import type { Action, ScratchpadEntry } from "@metahuman/core/contract/run";
import { callHash, canonicalJson } from "@metahuman/core/runs/canonical-json";

const MAX_FAILURES = 2;
const MAX_IDLE_REPEATS = 3;

export type LoopVerdict =
  | { kind: "continue" }
  /** The call is not executed; the planner receives the reason, once per call. */
  | { kind: "refuse"; reason: string }
  /** The planner repeated a call that was already refused. */
  | { kind: "stuck"; reason: string };

/**
 * Detects loops. A call is refused after two failures with the same arguments, or after three successes without a new
 * observation in between.
 */
export function guardAgainstLoops(action: Action, scratchpad: readonly ScratchpadEntry[]): LoopVerdict {
  const wanted = callHash(action.tool, action.args);
  const seen = new Set<string>();
  let failures = 0;
  let refused = false;
  let idleRepeats = 0;

  for (const { action: past, observation } of scratchpad) {
    if (!past || !observation) continue;
    const same = callHash(past.tool, past.args) === wanted;
    if (observation.error?.code === "LOOP_DETECTED") {
      refused ||= same;
      continue;
    }
    if (!observation.success) {
      failures += same ? 1 : 0;
      continue;
    }
    const outcome = canonicalJson([past, observation.outputs ?? observation.content]);
    if (!seen.has(outcome)) idleRepeats = 0;
    seen.add(outcome);
    idleRepeats += same ? 1 : 0;
  }

  const reason =
    failures >= MAX_FAILURES
      ? `${action.tool} already failed ${failures} times with exactly these arguments.`
      : idleRepeats >= MAX_IDLE_REPEATS
        ? `${action.tool} was already called ${idleRepeats} times with exactly these arguments, without a new result.`
        : undefined;
  if (reason === undefined) return { kind: "continue" };
  return { kind: refused ? "stuck" : "refuse", reason };
}
