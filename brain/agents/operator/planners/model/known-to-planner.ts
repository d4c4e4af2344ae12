import type { Message } from "@metahuman/core/contract/conversation";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { formatContextForPrompt } from "@metahuman/core/context/format-context-for-prompt";
import { fenced } from "@metahuman/core/context/fenced";
import type { PlanState } from "../../planner.ts";
import { clipToTokens } from "./prompt-budget.ts";

/** What earlier turns may cost where there is no context package to sum them up, in tokens. */
const HISTORY_TOKENS = 600;
/** What one of them may cost. */
const TURN_TOKENS = 150;

/** What a planner is told besides the request: the context package, or without one the conversation so far. */
export function knownToPlanner({ context, history }: Pick<PlanState, "context" | "history">): string {
  return context ? formatContextForPrompt(context) : conversationSoFar(history);
}

/** The newest turns that fit, oldest first; `""` when nothing was said before. */
function conversationSoFar(history: readonly Message[]): string {
  const lines: string[] = [];
  let left = HISTORY_TOKENS;
  for (const { role, text } of history.toReversed()) {
    const line = `- ${role}: ${fenced(clipToTokens(text.trim(), TURN_TOKENS))}`;
    left -= estimateTokens(line);
    if (left < 0) break;
    lines.unshift(line);
  }
  return lines.length === 0 ? "" : ["Earlier in this conversation", ...lines].join("\n");
}
