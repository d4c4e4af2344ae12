import { VerificationAnswer } from "@metahuman/core/contract/answers";
import { functionActor } from "../../../../server/api/function-actor.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Check a function anew: its text, then a replay of its examples in a shadow workspace",
    needs: "canManageFunctions",
    takes: { params: FunctionParams },
    answer: VerificationAnswer,
  },
  async ({ params, caller, request }) => ({
    verification: await caller.profile.functions
      .of()
      .verifyFunction(params.id, functionActor(caller), request.signal),
  }),
);
