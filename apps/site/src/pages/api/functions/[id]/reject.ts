import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision("rejectFunction", "Turn down what an agent registered");
