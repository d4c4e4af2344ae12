import type { Action } from "@metahuman/core/contract/run";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";

/** One scripted move: fixed, or computed from the run so far. */
export type Scripted =
  | PlannerDecision
  | ((state: PlanState, signal: AbortSignal) => PlannerDecision | Promise<PlannerDecision>);

export type ActDecision = Extract<PlannerDecision, { kind: "act" }>;

export const call = (tool: string, args: Action["args"] = {}, thought = `Call ${tool}.`): ActDecision => ({
  kind: "act",
  thought,
  action: { tool, args },
});

export const say = (text: string): PlannerDecision => ({
  kind: "answer",
  thought: "",
  style: "default",
  text,
});

/** The outputs of the last step, or its error. */
export const lastObservation = ({ scratchpad }: PlanState) => scratchpad.at(-1)?.observation;

/**
 * A planner that reads its moves from a list. The number of taken steps is the index of the next move, so that it has
 * no state, like any planner.
 */
export function scriptedPlanner(moves: readonly Scripted[]): Planner {
  return {
    name: "built-in",
    async next(state, signal) {
      const move = moves[state.scratchpad.length] ?? say("That was all.");
      return typeof move === "function" ? move(state, signal) : move;
    },
  };
}
