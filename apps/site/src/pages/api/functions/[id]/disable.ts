import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision("disableFunction", "Take a function out of service, with a reason");
