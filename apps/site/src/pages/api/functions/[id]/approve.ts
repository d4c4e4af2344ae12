import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision(
  "approveFunction",
  "Approve a function that an agent registered, and verify it",
);
