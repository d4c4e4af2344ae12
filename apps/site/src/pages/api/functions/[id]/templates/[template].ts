import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../../server/api/caller.ts";
import { FunctionTemplateParams } from "../../../../../server/api/params.ts";
import { route } from "../../../../../server/api/route.ts";

export const DELETE = route(
  {
    summary: "Remove a taught wording of a function, or a wording that it was rejected for",
    needs: "canManageFunctions",
    input: { params: FunctionTemplateParams },
    output: FunctionAnswer,
  },
  async ({ params, caller }) => {
    const functions = caller.profile.functions.of(EVERY_AGENT);
    return { function: await functions.forgetTemplate(params.id, params.template, functionActor(caller)) };
  },
);
