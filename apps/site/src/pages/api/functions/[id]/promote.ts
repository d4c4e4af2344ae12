import { FunctionPromoted } from "@metahuman/core/contract/answers";
import { FunctionDecision } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../server/api/function-actor.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Trust a function: verifies it first when its report is missing or stale",
    needs: "canManageFunctions",
    takes: { params: FunctionParams, body: FunctionDecision.prefault({}) },
    answer: FunctionPromoted,
  },
  ({ params, body, caller }) =>
    caller.profile.functions.of().promoteFunction(params.id, functionActor(caller), body.reason),
);
