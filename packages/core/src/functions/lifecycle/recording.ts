import { successBound } from "../upkeep/success-bound.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { createNotes } from "./lifecycle-parts.ts";
import type { LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

/** A function that failed so often without a success between is disabled. */
const MOST_FAILURES_IN_A_ROW = 5;
/** After so many uses, one whose success bound is lower than this is disabled. */
const ENOUGH_USES = 5;
const LEAST_BOUND = 0.35;

/** Counts how functions did, which makes no new version of them, and disables what keeps failing. */
export function createRecording(
  parts: LifecycleDependencies,
  { disableFunction }: Pick<FunctionsPort, "disableFunction">,
): Pick<FunctionsPort, "recordFunctionUse"> {
  const { scope, store, index, evidence, clock } = parts;
  const note = createNotes(parts);

  /** Undefined while a function may stay in service. What was counted before it was changed or enabled again is past. */
  async function reasonToDisable(
    stored: StoredFunction,
    lastFailure: string | undefined,
  ): Promise<string | undefined> {
    if (stored.status !== "active") return undefined;
    const { enabledAt, updatedAt } = stored;
    const since = enabledAt !== undefined && enabledAt > updatedAt ? enabledAt : updatedAt;
    const recent = await evidence.outcomesSince(stored.id, since);
    const counted = (await evidence.of([stored.id])).get(stored.id)?.stats;
    const last = lastFailure === undefined ? "" : ` The last time: ${lastFailure}`;
    const inARow = recent.slice(0, MOST_FAILURES_IN_A_ROW);
    if (inARow.length === MOST_FAILURES_IN_A_ROW && !inARow.includes("succeeded"))
      return `It failed ${String(MOST_FAILURES_IN_A_ROW)} times in a row.${last}`;
    const { executions, successes } =
      enabledAt === undefined && counted
        ? counted
        : {
            executions: recent.length,
            successes: recent.filter((outcome) => outcome === "succeeded").length,
          };
    if (executions < ENOUGH_USES || successBound({ executions, successes }) >= LEAST_BOUND) return undefined;
    return `It worked ${String(successes)} of ${String(executions)} times.${last}`;
  }

  return {
    async recordFunctionUse(use) {
      const { function: stored } = await store.find(scope, use.functionId);
      const isNews = await evidence.record(use, clock().toISOString());
      const row = await evidence.row(stored.id);
      const actor: FunctionActor = { by: "operator", isPerson: false, isOwner: false, runId: use.runId };
      if (isNews && row) {
        await index.call("evidence", [row]);
        // What was only offered changed nothing.
        if (use.outcome !== "offered") await note("function_used", stored, actor, { outcome: use.outcome });
      }
      const reason =
        isNews && use.outcome === "failed" ? await reasonToDisable(stored, use.error) : undefined;
      if (reason !== undefined) return disableFunction(stored.id, actor, reason.slice(0, 2_000));
      return firstOf(await store.withEvidence([stored]));
    },
  };
}
