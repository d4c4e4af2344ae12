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

/** Skills of which the same call makes the same thing a second time. */
const MAKES_ANOTHER: ReadonlySet<string> = new Set(
  "task_create remind schedule_create memory_remember fs_append".split(" "),
);

/** The number of the step that made the same call of such a skill before, if a model repeats itself; else undefined. */
export function stepOfSameCall(
  { tool, args }: Action,
  scratchpad: readonly ScratchpadEntry[],
): number | undefined {
  if (!MAKES_ANOTHER.has(tool)) return undefined;
  const wanted = callHash(tool, args);
  return scratchpad.find(
    ({ action, observation }) =>
      action?.tool === tool && observation?.success === true && callHash(tool, action.args) === wanted,
  )?.step;
}

/**
 * Detects loops. A call is refused after two failures with the same arguments, or after three successes without a new
 * observation in between.
 */
export function guardAgainstLoops(action: Action, scratchpad: readonly ScratchpadEntry[]): LoopVerdict {
  const wanted = callHash(action.tool, action.args);
  const seen = new Set<string>();
  let failures = 0;
  let wasRefused = false;
  let idleRepeats = 0;

  for (const { action: past, observation } of scratchpad) {
    if (!past || !observation) continue;
    const isSameCall = callHash(past.tool, past.args) === wanted;
    if (observation.error?.code === "LOOP_DETECTED") {
      wasRefused ||= isSameCall;
      continue;
    }
    if (!observation.success) {
      failures += isSameCall ? 1 : 0;
      continue;
    }
    const outcome = canonicalJson([past, observation.outputs ?? observation.content]);
    if (!seen.has(outcome)) idleRepeats = 0;
    seen.add(outcome);
    idleRepeats += isSameCall ? 1 : 0;
  }

  const reason =
    failures >= MAX_FAILURES
      ? `${action.tool} already failed ${failures} times with exactly these arguments.`
      : idleRepeats >= MAX_IDLE_REPEATS
        ? `${action.tool} was already called ${idleRepeats} times with exactly these arguments, without a new result.`
        : undefined;
  if (reason === undefined) return { kind: "continue" };
  return { kind: wasRefused ? "stuck" : "refuse", reason };
}
