import { z } from "zod";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { FunctionLearned } from "@metahuman/core/contract/answers";
import { RunId } from "@metahuman/core/contract/ids";
import { functionActor } from "../../../server/api/caller.ts";
import { Reply, route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Learn a draft from an answered run, or add the run to an existing function as an example; 409 with the reason if nothing can be learned",
    needs: "canManageFunctions",
    input: { body: z.strictObject({ runId: RunId }) },
    output: FunctionLearned,
    status: 201,
  },
  async ({ body: { runId }, caller }) => {
    const { operator, functions, runs } = caller.profile;
    const { agentId } = await runs.get(runId);
    const outcome = await operator.learnFrom(runId, functionActor(caller));
    if (outcome.kind === "nothing")
      throw new ConflictError(`Nothing can be learned from this run. ${outcome.reason}`);
    const learned = {
      function: await functions.of(agentId).loadFunction(outcome.id),
      isNew: outcome.kind === "new",
      isProposed: outcome.kind === "example" && outcome.proposed,
    };
    return learned.isNew ? learned : new Reply(learned, { status: 200 });
  },
);
