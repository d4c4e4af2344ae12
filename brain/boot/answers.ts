import type { FunctionDetail } from "@metahuman/core/contract/answers";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { contentHash } from "@metahuman/core/functions/store/content-hash";

/** The error codes of planned calls that were never executed. */
const NOT_CALLED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "SKILL_NOT_FOUND",
  "POLICY_DENIED",
  "APPROVAL_DENIED",
  "LOOP_DETECTED",
]);

/**
 * The answer of an ended run in the form that scripts rely on; undefined while it has not ended. Calls of `controllable`
 * skills are not listed as actions.
 */
export function operatorAnswer(run: Run, controllable: ReadonlySet<string>): OperatorAnswer | undefined {
  if (run.status !== "ended" || run.outcome === undefined) return undefined;
  return {
    runId: run.id,
    conversationId: run.conversationId,
    outcome: run.outcome,
    result: run.result ?? run.error?.message ?? "",
    actions: run.scratchpad.flatMap(calledSkill).filter((id) => !controllable.has(id)),
    scratchpad: run.scratchpad,
    reasoning: run.scratchpad.map(({ thought }) => thought).join("\n"),
    functionsUsed: run.functionsUsed,
    ...(run.learnedFunction && { learnedFunction: run.learnedFunction }),
    verbatim: run.verbatim,
    ...(run.suggestions && { suggestions: run.suggestions }),
    ...(run.offers && { offers: run.offers }),
    status: run.status,
    usage: run.usage,
    planner: run.planner ?? "built-in",
  };
}

/** The answer for a run that is active or waits for a person. */
export function operatorPending({ id, conversationId, status, pending }: Run): OperatorPending {
  return { runId: id, conversationId, status, ...(pending && { pending }) };
}

/** A function, and whether its verification report is outdated. */
export function functionDetail(found: FunctionMemory): FunctionDetail {
  const { verification } = found;
  return {
    function: found,
    reportIsStale: verification !== undefined && verification.contentHash !== contentHash(found),
  };
}

function calledSkill({ action, observation }: ScratchpadEntry): string[] {
  if (!action || !observation || (observation.error && NOT_CALLED.has(observation.error.code))) return [];
  return [action.tool];
}
