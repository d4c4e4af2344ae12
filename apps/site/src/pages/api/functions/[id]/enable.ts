import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { z } from "zod";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Enable a disabled function",
    needs: "canManageFunctions",
    input: { params: FunctionParams, body: z.strictObject({}).prefault({}) },
    output: FunctionAnswer,
  },
  async ({ params, caller }) => ({
    function: await caller.profile.functions.of(EVERY_AGENT).enableFunction(params.id, functionActor(caller)),
  }),
);
