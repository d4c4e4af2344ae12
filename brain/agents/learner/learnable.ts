import type { Action, Run } from "@metahuman/core/contract/run";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { LearnableRun } from "@metahuman/core/functions/learning/learnable-run";

/** The run in the form that generalization needs. */
export function learnable(run: Run, timeZone: string): LearnableRun {
  return {
    request: run.goal,
    calls: run.scratchpad.flatMap(({ action, observation }) =>
      action && observation
        ? [
            {
              skill: action.tool,
              args: withDaysAsKept(action.args, observation.outputs),
              success: observation.success,
              outputs: observation.outputs ?? {},
            },
          ]
        : [],
    ),
    now: new Date(run.createdAt),
    timeZone,
    explores: run.planner !== "built-in" && run.planner !== "replay",
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/u;

/**
 * The arguments with each day in the form in which the call reports it: `due` is `2026-12-04` for "4 December 2026", so that one day is one
 * value in every call and every run.
 */
function withDaysAsKept(args: Action["args"], outputs: unknown): Action["args"] {
  const kept = leavesOf(outputs);
  const dayOf = (name: string): unknown =>
    kept.find(({ place, value }) => place.split(".").at(-1) === name && DAY.test(String(value)))?.value;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) =>
      typeof value === "string" && !DAY.test(value) ? [name, dayOf(name) ?? value] : [name, value],
    ),
  );
}
