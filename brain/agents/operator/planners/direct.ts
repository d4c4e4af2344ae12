import type { Action } from "@metahuman/core/contract/run";
import type { Planner } from "../planner.ts";

/** For a call that a person asked for by itself: makes it, and answers with what came of it. */
export function createDirectPlanner(action: Action): Planner {
  return {
    name: "built-in",
    async next({ scratchpad }) {
      const observation = scratchpad.at(-1)?.observation;
      if (!observation) return { kind: "act", thought: "A person asked for exactly this call.", action };
      const text = observation.error?.message ?? observation.content;
      return { kind: "answer", thought: "", style: "strict", text };
    },
  };
}
