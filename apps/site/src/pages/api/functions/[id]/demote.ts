import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision(
  "demoteFunction",
  "Take the trust back: a draft again, offered to no planner",
);
