import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../../server/api/caller.ts";
import { FunctionWordingParams } from "../../../../../server/api/params.ts";
import { route } from "../../../../../server/api/route.ts";

export const DELETE = route(
  {
    summary: "Remove a taught or refused wording of a function",
    needs: "canManageFunctions",
    input: { params: FunctionWordingParams },
    output: FunctionAnswer,
  },
  async ({ params, caller }) => {
    const functions = caller.profile.functions.of(EVERY_AGENT);
    return { function: await functions.forgetWording(params.id, params.template, functionActor(caller)) };
  },
);
