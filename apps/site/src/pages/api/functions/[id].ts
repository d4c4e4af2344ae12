import { functionDetail } from "@metahuman/boot/answers";
import { ArchivedAnswer, FunctionDetail, FunctionUpdated } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionEdit } from "@metahuman/core/contract/function";
import { functionActor } from "../../../server/api/caller.ts";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { FunctionParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "One function, and whether its verification report matches its current content",
    needs: "canReadMemory",
    input: { params: FunctionParams },
    output: FunctionDetail,
  },
  async ({ params, caller }) =>
    functionDetail(await caller.profile.functions.of(EVERY_AGENT).loadFunction(params.id)),
);

const edit = route(
  {
    summary:
      "Change a function, based on `version`; a change to what a verified function does becomes a proposal",
    needs: "canManageFunctions",
    input: { params: FunctionParams, body: FunctionEdit },
    output: FunctionUpdated,
  },
  ({ params, body, caller }) =>
    caller.profile.functions
      .of(EVERY_AGENT)
      .updateFunction(params.id, omitUndefined(body), functionActor(caller)),
);

export { edit as PATCH, edit as PUT };

export const DELETE = route(
  {
    summary: "Delete a function; for 30 days it can be brought back",
    needs: "canManageFunctions",
    input: { params: FunctionParams },
    output: ArchivedAnswer,
  },
  async ({ params, caller }) => ({
    archived: await caller.profile.functions.of(EVERY_AGENT).deleteFunction(params.id, functionActor(caller)),
  }),
);
