import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { FunctionDecision } from "@metahuman/core/contract/function";
import { functionActor } from "./function-actor.ts";
import { FunctionParams } from "./params.ts";
import { route, type Route } from "./route.ts";

/** What a person decides about one function, with a reason that may be given. */
export function functionDecision(
  verb: "approveFunction" | "demoteFunction" | "disableFunction" | "rejectFunction",
  summary: string,
): Route {
  return route(
    {
      summary,
      needs: "canManageFunctions",
      takes: { params: FunctionParams, body: FunctionDecision.prefault({}) },
      answer: FunctionAnswer,
    },
    async ({ params, body, caller }) => ({
      function: await caller.profile.functions.of()[verb](params.id, functionActor(caller), body.reason),
    }),
  );
}
