import { functionDecision } from "../../../../server/api/function-decision.ts";

export const POST = functionDecision(
  "demoteFunction",
  "Demote a verified function to a draft, which no planner sees",
);
