import { ModelUnavailableError } from "@metahuman/core/errors/model-unavailable-error";
import { ModelError } from "@metahuman/models/model-error";
import type { Move, Planner, PlanState } from "../planner.ts";
import { readingOf } from "./built-in/reading.ts";

/**
 * Plans with `planner` for as long as its models can be reached, then goes on without one: the person is told, and what
 * was done stays done. Made anew for each run.
 */
export function withFallback(planner: Planner, builtIn: Planner): Planner {
  let inCharge = planner;
  return {
    get name() {
      return inCharge.name;
    },
    async next(state, signal) {
      if (inCharge === planner) {
        try {
          return await planner.next(state, signal);
        } catch (error) {
          if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
          state.onWarning?.(`${error.message} Went on without a model.`);
          inCharge = builtIn;
        }
      }
      return withoutModel(builtIn, state, signal);
    },
  };
}

/** A request that only a model understood ends with what was found until now. */
async function withoutModel(builtIn: Planner, state: PlanState, signal: AbortSignal): Promise<Move> {
  if (state.scratchpad.length === 0 || (await readingOf(state)).kind === "plan")
    return builtIn.next(state, signal);
  return {
    kind: "answer",
    thought: "The rest of this request needs a model; this is what was found until now.",
    style: "strict",
    outcome: "stuck",
  };
}
