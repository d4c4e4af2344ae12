import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { FunctionDecision } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../server/api/function-actor.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Turn down what an agent registered",
    needs: "canManageFunctions",
    takes: { params: FunctionParams, body: FunctionDecision.prefault({}) },
    answer: FunctionAnswer,
  },
  async ({ params, body, caller }) => ({
    function: await caller.profile.functions
      .of()
      .rejectFunction(params.id, functionActor(caller), body.reason),
  }),
);
