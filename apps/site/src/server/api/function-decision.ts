import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionDecision } from "@metahuman/core/contract/function";
import { functionActor } from "./caller.ts";
import { FunctionParams } from "./params.ts";
import { route, type Route } from "./route.ts";

/** Applies a person's decision on one function, with an optional reason. */
export function functionDecision(
  verb: "approveFunction" | "demoteFunction" | "disableFunction" | "rejectFunction",
  summary: string,
): Route {
  return route(
    {
      summary,
      needs: "canManageFunctions",
      input: { params: FunctionParams, body: FunctionDecision.prefault({}) },
      output: FunctionAnswer,
    },
    async ({ params, body, caller }) => {
      const functions = caller.profile.functions.of(EVERY_AGENT);
      return { function: await functions[verb](params.id, functionActor(caller), body.reason) };
    },
  );
}
