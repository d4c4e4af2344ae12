import type { FunctionMemory } from "../../contract/function.ts";
import type { FunctionAnalytics, FunctionFigures } from "../../contract/function-upkeep.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import type { EvidenceTable, FunctionUseRow } from "./evidence-table.ts";
import { successBound } from "./success-bound.ts";
import type { FunctionsPort } from "../functions-port.ts";

/** The cost of one run. */
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
export async function analyse(
  { functions, evidence, costOf }: AnalyticsDependencies,
  { since, functionId }: { since: string; functionId?: string },
): Promise<FunctionAnalytics> {
  const byFunction = new Map<string, FunctionUseRow[]>();
  const recorded = await evidence.uses({ since, ...(functionId !== undefined && { functionId }) });
  for (const use of recorded)
    byFunction.set(use.functionId, [...(byFunction.get(use.functionId) ?? []), use]);

  const figures: FunctionFigures[] = [];
  for (const [id, uses] of byFunction) {
    const known = await functions.loadFunction(id).catch((error: unknown) => {
      // Uses of deleted functions remain until purged, and those of other agents are not shown.
      if (error instanceof FunctionNotFoundError) return undefined;
      throw error;
    });
    if (known) figures.push(await figuresOf(known, uses, costOf));
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
  uses: readonly FunctionUseRow[],
  costOf: AnalyticsDependencies["costOf"],
): Promise<FunctionFigures> {
  const used = uses.filter(({ outcome }) => outcome !== "offered");
  const succeeded = used.filter(({ outcome }) => outcome === "succeeded");
  const failed = used.filter(({ outcome }) => outcome === "failed");
  const cost = sourceOperatorRunId === undefined ? undefined : await costOf(sourceOperatorRunId);
  const saved = (before: number, of: (use: FunctionUseRow) => number | null): number =>
    succeeded.reduce((sum, use) => sum + (before - (of(use) ?? before)), 0);
  return {
    id,
    title,
    offered: uses.length,
    used: used.length,
    succeeded: succeeded.length,
    failed: failed.length,
    successBound: successBound({
      successes: succeeded.length,
      executions: succeeded.length + failed.length,
    }),
    ...(cost && {
      planningCallsSaved: saved(cost.planningCalls, ({ planningCalls }) => planningCalls),
      tokensSaved: saved(cost.tokens, ({ tokens }) => tokens),
    }),
    days: byDay(used),
  };
}

function byDay(used: readonly FunctionUseRow[]): FunctionFigures["days"] {
  const days = new Map<string, { used: number; failed: number }>();
  for (const { at, outcome } of used) {
    const day = at.slice(0, 10);
    const counts = days.get(day) ?? { used: 0, failed: 0 };
    days.set(day, { used: counts.used + 1, failed: counts.failed + (outcome === "failed" ? 1 : 0) });
  }
  return [...days].map(([day, counts]) => ({ day, ...counts })).sort((a, b) => (a.day < b.day ? -1 : 1));
}
