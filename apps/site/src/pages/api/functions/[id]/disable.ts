import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision("disableFunction", "Disable a function, with a reason");
