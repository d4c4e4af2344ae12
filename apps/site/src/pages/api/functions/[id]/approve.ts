import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision(
  "approveFunction",
  "Let what an agent registered be active, and verify it",
);
