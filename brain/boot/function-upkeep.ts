import { EVERY_AGENT } from "@metahuman/core/contract/function";
import type { FunctionAnalytics, UpkeepReport } from "@metahuman/core/contract/function-upkeep";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import type { OpenedFunctions } from "@metahuman/core/functions/open-functions";
import { analyse, type RunCost } from "@metahuman/core/functions/upkeep/analytics";
import { maintain } from "@metahuman/core/functions/upkeep/maintain";
import type { RunStore } from "@metahuman/core/runs/run-store";
import type { FunctionUpkeep } from "./brain.ts";

/** Maintains a profile's functions and reports their results. */
export function createFunctionUpkeep(parts: {
  opened: OpenedFunctions;
  /** The folder of the functions. */
  root: string;
  runs: Pick<RunStore, "run">;
  clock: () => Date;
}): FunctionUpkeep {
  const { opened, root, runs, clock } = parts;

  async function costOf(runId: string): Promise<RunCost | undefined> {
    try {
      const { usage } = await runs.run(runId);
      return {
        planningCalls: usage.planningCalls,
        tokens: usage.promptTokens + usage.completionTokens,
      };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  return {
    maintain: (actor: FunctionActor, options): Promise<UpkeepReport> =>
      maintain({ functions: opened.functions.of(EVERY_AGENT), root, clock }, actor, options),
    analytics: (query): Promise<FunctionAnalytics> =>
      analyse({ functions: opened.functions.of(EVERY_AGENT), evidence: opened.evidence, costOf }, query),
  };
}
