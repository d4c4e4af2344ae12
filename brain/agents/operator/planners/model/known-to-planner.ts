import {
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import type { PlanState } from "../../planner.ts";

/** What a planner is told besides the request: the context package, or without one the conversation alone. */
export function knownToPlanner({
  context,
  conversation,
}: Pick<PlanState, "context" | "conversation">): string {
  return context ? formatContextForPrompt(context) : formatConversation(conversation);
}
