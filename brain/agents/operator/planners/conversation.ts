import type { ModelRole } from "@metahuman/core/contract/models";
import { ask } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import { personaSlots } from "../answer/model-answer-writer.ts";
import type { Planner } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { findingsOfReview } from "../answer/review.ts";
import { conversationMessages } from "./model/messages.ts";
import { promptBudget } from "./model/prompt-budget.ts";

/** Talks: no skills, the persona's model answers from what it may know, piece by piece. */
export function createConversationPlanner(router: ModelRouter, role: () => ModelRole): Planner {
  return {
    name: "conversation",
    async next(state, signal) {
      const { onModelCall, onWarning, onAnswerText } = state;
      const rules = prompt(
        "conversation",
        personaSlots(state.context?.persona ?? state.persona, { isInContext: state.context !== undefined }),
      );
      const messages = conversationMessages(state, {
        rules,
        without: ["functions", "tools"],
        budgetTokens: await promptBudget(router, role()),
        about: [findingsOfReview(state.scratchpad)],
      });
      const reply = await ask(
        { messages },
        { router, role: role(), purpose: "converse", signal, onModelCall, onWarning, onText: onAnswerText },
      );
      return { kind: "answer", thought: "", style: "default", text: reply.text.trim(), streamed: true };
    },
  };
}
