import { FunctionUpdated } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionVersionChoice } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Restore an earlier version; this counts as an edit",
    needs: "canManageFunctions",
    input: { params: FunctionParams, body: FunctionVersionChoice },
    output: FunctionUpdated,
  },
  ({ params, body, caller }) =>
    caller.profile.functions.of(EVERY_AGENT).restoreVersion(params.id, body.version, functionActor(caller)),
);
