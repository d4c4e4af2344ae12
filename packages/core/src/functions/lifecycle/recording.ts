import { isFailing } from "../upkeep/success-bound.ts";
import { successText } from "../../contract/function-report.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

/** After this many consecutive failures a function is disabled. */
const MAX_FAILURES_IN_A_ROW = 5;

/** Records function results without creating a version, and disables functions that keep failing. */
export function createResultMethods(
  parts: LifecycleDependencies,
  { disableFunction }: Pick<FunctionsPort, "disableFunction">,
): Pick<FunctionsPort, "recordFunctionUse"> {
  const { scope, store, index, evidence, clock } = parts;
  const note = createAuditWriter(parts);

  /** Undefined while a function stays enabled. Results before its last change or enabling do not count. */
  async function disableReason(
    stored: StoredFunction,
    lastFailure: string | undefined,
  ): Promise<string | undefined> {
    if (stored.status !== "active") return undefined;
    const { enabledAt, updatedAt } = stored;
    const since = enabledAt !== undefined && enabledAt > updatedAt ? enabledAt : updatedAt;
    const recent = await evidence.outcomesSince(stored.id, since);
    const counted = (await evidence.of([stored.id])).get(stored.id)?.stats;
    const last = lastFailure === undefined ? "" : ` The last time: ${lastFailure}`;
    const inARow = recent.slice(0, MAX_FAILURES_IN_A_ROW);
    if (inARow.length === MAX_FAILURES_IN_A_ROW && !inARow.includes("succeeded"))
      return `It failed ${String(MAX_FAILURES_IN_A_ROW)} times in a row.${last}`;
    const { executions, successes } =
      enabledAt === undefined && counted
        ? counted
        : {
            executions: recent.length,
            successes: recent.filter((outcome) => outcome === "succeeded").length,
          };
    if (!isFailing({ executions, successes })) return undefined;
    return `It ${successText({ executions, successes })}.${last}`;
  }

  return {
    async recordFunctionUse(use) {
      const { function: stored } = await store.find(scope, use.functionId);
      const isChange = await evidence.record(use, clock().toISOString());
      const row = await evidence.row(stored.id);
      const actor: FunctionActor = { by: "operator", isPerson: false, isOwner: false, runId: use.runId };
      if (isChange && row) {
        await index.call("evidence", [row]);
        // An offer without use needs no audit entry.
        if (use.outcome !== "offered") await note("function_used", stored, actor, { outcome: use.outcome });
      }
      const reason =
        isChange && use.outcome === "failed" ? await disableReason(stored, use.error) : undefined;
      if (reason !== undefined) return disableFunction(stored.id, actor, reason.slice(0, 2_000));
      return firstOf(await store.withEvidence([stored]));
    },
  };
}
