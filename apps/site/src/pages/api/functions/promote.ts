import { FunctionPromoted } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionPromotion } from "@metahuman/core/contract/function";
import { functionActor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Promote a function, verifying it first if its report is missing or stale",
    needs: "canManageFunctions",
    input: { body: FunctionPromotion },
    output: FunctionPromoted,
  },
  ({ body: { id, reason }, caller }) =>
    caller.profile.functions.of(EVERY_AGENT).promoteFunction(id, functionActor(caller), reason),
);
