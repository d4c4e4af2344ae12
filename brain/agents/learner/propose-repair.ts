import { fenceData } from "@metahuman/core/context/fenced";
import type { FunctionUseRecord } from "@metahuman/core/functions/functions-port";
import { z } from "zod";
import { askCurator, type Curating } from "./ask-curator.ts";
import type { EndedRun } from "./run-learner.ts";
import { holdsSecret } from "@metahuman/core/log/redact";

const Repair = z.object({
  reason: z.string().trim().min(3).max(600),
  summary: z.string().trim().min(3).max(1_000),
  steps: z.array(z.string().trim().min(1).max(500)).min(1).max(20),
});

/**
 * Proposes better steps for a function that was followed and failed; does nothing without a model. A person decides.
 */
export async function proposeRepair(
  { functionId, error }: FunctionUseRecord,
  { functions, run }: EndedRun,
  curating: Curating,
): Promise<void> {
  const failed = await functions.loadFunction(functionId);
  const happened = run.scratchpad.flatMap(({ step, action, observation }) =>
    action
      ? [
          `${String(step)}. ${action.tool} ${JSON.stringify(action.args).slice(0, 300)} → ${(observation?.content ?? "").slice(0, 300)}`,
        ]
      : [],
  );
  const user = [
    `Function: ${fenceData(`${failed.title}\n${failed.summary}\n${failed.steps.join("\n")}`)}`,
    `Request: ${fenceData(run.goal)}`,
    `What happened:\n${fenceData(happened.join("\n"))}`,
    `Failure: ${fenceData(error ?? "")}`,
  ].join("\n");
  const repair = await askCurator(Repair, { prompt: "repair-function", user }, curating);
  if (repair === undefined || holdsSecret(repair)) return;
  const { reason, summary, steps } = repair;
  await functions.proposeRevision(
    functionId,
    { change: { summary, steps }, reason, origin: "failure", sourceOperatorRunId: run.id },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
}
