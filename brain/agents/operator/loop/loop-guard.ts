import type { Action, ScratchpadEntry } from "@metahuman/core/contract/run";
import { callHash, canonicalJson } from "@metahuman/core/runs/canonical-json";

const MAX_FAILURES = 2;
const MAX_IDLE_REPEATS = 3;

export type LoopVerdict =
  | { kind: "go-on" }
  /** Not run; the planner is told why, once. */
  | { kind: "refuse"; reason: string }
  /** It was told, and tries the same again. */
  | { kind: "stuck"; reason: string };

/**
 * Keeps a planner from running in circles: a call that failed twice with the same arguments is not run again, nor one
 * that succeeded three times while nothing new was observed in between.
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
        ? `${action.tool} was already called ${idleRepeats} times with exactly these arguments, and nothing new came of it.`
        : undefined;
  if (reason === undefined) return { kind: "go-on" };
  return { kind: refused ? "stuck" : "refuse", reason };
}
