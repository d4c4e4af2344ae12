import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision("rejectFunction", "Reject a function that an agent registered");
