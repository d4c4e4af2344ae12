import type { ModelRole } from "@metahuman/core/contract/models";
import { formatContextForPrompt } from "@metahuman/core/context/format-context-for-prompt";
import { ask } from "@metahuman/models/ask";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { personaSlots } from "../model-wording.ts";
import type { Planner, PlanState } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { findingsOfReview } from "../review.ts";
import { tokensOf } from "./model/messages.ts";
import { clipToTokens, promptBudget } from "./model/prompt-budget.ts";

/** Talks: no skills, the persona's model answers from what it may know, piece by piece. */
export function createConversationPlanner(router: ModelRouter, role: () => ModelRole): Planner {
  return {
    name: "conversation",
    async next(state, signal) {
      const reply = await ask(
        { messages: conversationMessages(state, await promptBudget(router, role())) },
        {
          router,
          role: role(),
          purpose: "converse",
          signal,
          onModelCall: state.onModelCall,
          onWarning: state.onWarning,
          onText: state.onAnswerText,
        },
      );
      return { kind: "answer", thought: "", style: "default", text: reply.text.trim(), streamed: true };
    },
  };
}

/** The earlier turns that fit; the newest are kept. */
function conversationMessages(
  { context, history, request, scratchpad }: PlanState,
  budgetTokens: number,
): ChatMessage[] {
  const rules = prompt("conversation", {
    ...personaSlots(context?.persona),
    person: "the person you work for",
  });
  const known = context ? formatContextForPrompt(context, { without: ["conversation"] }) : "";
  const head: ChatMessage = { role: "system", content: known === "" ? rules : `${rules}\n\n${known}` };
  const asked = clipToTokens(request, Math.floor(budgetTokens / 3));
  const findings = findingsOfReview(scratchpad);
  const last: ChatMessage = { role: "user", content: findings === "" ? asked : `${asked}\n\n${findings}` };
  const turns: ChatMessage[] = [];
  let left = budgetTokens - tokensOf([head, last]);
  for (const { role, text } of history.toReversed()) {
    const turn: ChatMessage = { role: role === "person" ? "user" : "assistant", content: text };
    left -= tokensOf([turn]);
    if (left < 0) break;
    turns.unshift(turn);
  }
  return [head, ...turns, last];
}
