import { FunctionPromoted } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionDecision } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { jsonOrStream } from "../../../../server/api/json-or-stream.ts";

export const POST = route(
  {
    summary:
      "Promote a function, verifying it first if its report is missing or stale; with Accept: text/event-stream, an event per check, then function-promoted",
    needs: "canManageFunctions",
    input: { params: FunctionParams, body: FunctionDecision.prefault({}) },
    output: FunctionPromoted,
    events: true,
  },
  ({ params, body, caller, request, stream }) =>
    jsonOrStream({ request, stream, last: "function-promoted" }, (following) =>
      caller.profile.functions
        .of(EVERY_AGENT)
        .promoteFunction(params.id, functionActor(caller), body.reason, following),
    ),
);
