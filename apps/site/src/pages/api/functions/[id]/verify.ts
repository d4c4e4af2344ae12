import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { VerificationAnswer } from "@metahuman/core/contract/answers";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { jsonOrStream } from "../../../../server/api/json-or-stream.ts";

export const POST = route(
  {
    summary:
      "Verify a function: its text, then its behavior in a scratch environment; with Accept: text/event-stream, an event per check, then function-verified",
    needs: "canManageFunctions",
    input: { params: FunctionParams },
    output: VerificationAnswer,
    events: true,
  },
  ({ params, caller, request, stream }) =>
    jsonOrStream({ request, stream, last: "function-verified" }, async (following) => ({
      verification: await caller.profile.functions
        .of(EVERY_AGENT)
        .verifyFunction(params.id, functionActor(caller), following),
    })),
);
