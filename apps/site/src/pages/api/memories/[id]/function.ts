import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { functionActor } from "../../../../server/api/caller.ts";
import { MemoryParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Create a draft function from a pattern",
    needs: "canManageFunctions",
    input: { params: MemoryParams },
    output: FunctionAnswer,
    status: 201,
  },
  async ({ params, caller }) => ({
    function: await caller.profile.proposals.makeFunction(params.id, functionActor(caller)),
  }),
);
