import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Restore a deleted function",
    needs: "canManageFunctions",
    input: { params: FunctionParams },
    output: FunctionAnswer,
  },
  async ({ params, caller }) => ({
    function: await caller.profile.functions
      .of(EVERY_AGENT)
      .restoreFunction(params.id, functionActor(caller)),
  }),
);
