import type { FunctionMemory } from "../../contract/function.ts";
import type { FunctionAnalytics, FunctionFigures } from "../../contract/function-upkeep.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import type { DailyUses, EvidenceTable } from "./evidence-table.ts";
import { successBound } from "./success-bound.ts";
import type { FunctionsPort } from "../functions-port.ts";

export interface RunCost {
  planningCalls: number;
  tokens: number;
}

export interface AnalyticsDependencies {
  functions: FunctionsPort;
  evidence: EvidenceTable;
  /** The cost of the run a function was learned from; undefined when the run was deleted. */
  costOf: (runId: string) => Promise<RunCost | undefined>;
}

/** The results of functions since a date, and their savings compared with the runs they were learned from. */
export async function analyzeFunctions(
  { functions, evidence, costOf }: AnalyticsDependencies,
  { since, functionId }: { since: string; functionId?: string },
): Promise<FunctionAnalytics> {
  const byFunction = new Map<string, DailyUses[]>();
  for (const day of await evidence.dailyUses({ since, ...(functionId !== undefined && { functionId }) })) {
    const days = byFunction.get(day.functionId);
    if (days) days.push(day);
    else byFunction.set(day.functionId, [day]);
  }

  const figures: FunctionFigures[] = [];
  for (const [id, days] of byFunction) {
    const known = await functions.loadFunction(id).catch((error: unknown) => {
      // Uses of deleted functions remain until purged, and those of other agents are not shown.
      if (error instanceof FunctionNotFoundError) return undefined;
      throw error;
    });
    if (known) figures.push(await figuresOf(known, days, costOf));
  }
  figures.sort((a, b) => b.used - a.used || (a.title < b.title ? -1 : 1));
  const total = (field: (figure: FunctionFigures) => number): number =>
    figures.reduce((sum, figure) => sum + field(figure), 0);
  return {
    since,
    functions: figures,
    totals: {
      functions: figures.length,
      used: total(({ used }) => used),
      succeeded: total(({ succeeded }) => succeeded),
      failed: total(({ failed }) => failed),
      planningCallsSaved: total(({ planningCallsSaved = 0 }) => planningCallsSaved),
      tokensSaved: total(({ tokensSaved = 0 }) => tokensSaved),
    },
  };
}

async function figuresOf(
  { id, title, sourceOperatorRunId }: FunctionMemory,
  days: readonly DailyUses[],
  costOf: AnalyticsDependencies["costOf"],
): Promise<FunctionFigures> {
  const sum = (field: Exclude<keyof DailyUses, "functionId" | "day">): number =>
    days.reduce((total, day) => total + day[field], 0);
  const [succeeded, failed] = [sum("succeeded"), sum("failed")];
  const cost = sourceOperatorRunId === undefined ? undefined : await costOf(sourceOperatorRunId);
  return {
    id,
    title,
    offered: sum("offered"),
    used: sum("used"),
    succeeded,
    failed,
    successBound: successBound({ successes: succeeded, executions: succeeded + failed }),
    // Runs whose cost is unknown save nothing.
    ...(cost && {
      planningCallsSaved: sum("planned") * cost.planningCalls - sum("planningCalls"),
      tokensSaved: sum("metered") * cost.tokens - sum("tokens"),
    }),
    days: days
      .filter(({ used }) => used > 0)
      .map(({ day, used, failed: failures }) => ({ day, used, failed: failures })),
  };
}
