import type { Run } from "@metahuman/core/contract/run";
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
              args: action.args,
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
