import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { callsOfCode } from "@metahuman/skills/support/code-outcome";
import { z } from "zod";

/** A call that a recipe or code made inside one call of the run. */
export interface InnerCall {
  /** The skill's sentence about its outcome. */
  sentence: string;
  outputs: Record<string, unknown>;
}

const RecipeOutcome = z.object({
  result: z.object({ steps: z.array(z.record(z.string(), z.unknown())) }),
  logs: z.array(z.string()),
});

/**
 * The calls of a recipe that `function_run` ran, or those by which code changed something, in order; undefined for
 * every other call.
 */
export function innerCalls({ action, observation }: ScratchpadEntry): InnerCall[] | undefined {
  if (action?.tool !== "execute_code" && action?.tool !== "function_run") return undefined;
  const { result, logs = [] } = RecipeOutcome.safeParse(observation?.outputs).data ?? {};
  if (result !== undefined && result.steps.length === logs.length)
    return result.steps.map((outputs, index) => ({ outputs, sentence: logs[index] ?? "" }));
  const calls = callsOfCode(observation?.outputs);
  return calls.length > 0 ? calls : undefined;
}
