import type { FunctionAnalytics, UpkeepReport } from "@metahuman/core/contract/function-upkeep";
import type { Command } from "commander";
import { table } from "../output.ts";
import type { CommandContext } from "../session.ts";
import { parseCount } from "../parse-input.ts";
import { openFunctionsForManaging, openFunctionsForReading } from "../open-functions.ts";

const DAY_MS = 86_400_000;

export function addFunctionUpkeep(commands: Command, context: () => CommandContext): void {
  commands
    .command("maintain")
    .description("disable failing functions, propose merges of duplicates, report unused ones")
    .option("--dry-run", "report only; change nothing")
    .action(async ({ dryRun = false }: { dryRun?: boolean }) => {
      const { session, actor } = await openFunctionsForManaging(context());
      const { signal } = context();
      const report = await session.profile.functionUpkeep.maintain(actor, { dryRun, signal });
      context().output.result(report, describeUpkeep(report));
    });

  commands
    .command("analytics")
    .description("show how often functions were used and what they saved")
    .option("--days <count>", "the number of days to include", "90")
    .action(async ({ days }: { days: string }) => {
      const { session } = await openFunctionsForReading(context());
      const since = new Date(Date.now() - parseCount("--days", days, 3_650) * DAY_MS).toISOString();
      const answer = await session.profile.functionUpkeep.analytics({ since });
      context().output.result(answer, formatAnalytics(answer));
    });
}

function describeUpkeep({ checked, findings, snapshot, dryRun }: UpkeepReport): string {
  if (findings.length === 0) return `Checked ${checked} functions: nothing to do.`;
  const verbs = { "propose-merge": "merge proposed", disable: "disabled", none: "unchanged" };
  const rows = findings.map(({ kind, functionId, title, reason, action, done }) => [
    kind,
    functionId,
    done || action === "none" ? verbs[action] : `would be ${verbs[action]}`,
    `${title}: ${reason}`,
  ]);
  const undo = snapshot === undefined ? [] : [`Snapshot of the previous state: memory/functions/${snapshot}`];
  return [`Checked ${checked} functions${dryRun ? " and changed nothing" : ""}.`, table(rows), ...undo].join(
    "\n",
  );
}

function formatAnalytics({ functions, totals }: FunctionAnalytics): string {
  if (functions.length === 0) return "No function was offered or used in this period.";
  const rows = functions.map(({ title, used, succeeded, failed, successBound, planningCallsSaved }) => [
    `${used} uses`,
    `${succeeded} worked`,
    `${failed} failed`,
    `at least ${Math.round(successBound * 100)} % reliable`,
    planningCallsSaved === undefined ? "" : `${planningCallsSaved} planning calls saved`,
    title,
  ]);
  return `${table(rows)}\n${totals.used} uses, ${totals.planningCallsSaved} planning calls and ${totals.tokensSaved} tokens saved.`;
}
