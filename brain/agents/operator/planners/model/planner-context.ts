import {
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import type { PlanState } from "../../planner.ts";

/** The context of a planning prompt: the context package, or only the conversation without one. */
export function plannerContext({
  context,
  conversation,
  timeZone,
}: Pick<PlanState, "context" | "conversation" | "timeZone">): string {
  return context
    ? formatContextForPrompt(context, { timeZone, withIds: true })
    : formatConversation(conversation);
}
