import { HOW_TO_GET_A_MODEL } from "@metahuman/core/contract/model-abilities";
import type { ModelRole } from "@metahuman/core/contract/models";
import { ask } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import { answerWithin, personaSlots } from "../answer/model-answer-writer.ts";
import type { Planner } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { findingsOfReview } from "../answer/review.ts";
import { conversationMessages } from "./model/messages.ts";
import { promptBudget } from "./model/prompt-budget.ts";

/** Conversation without skills: the persona's model answers from the context and streams its answer. */
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
      const written = reply.text.trim();
      const text = answerWithin(written) || written;
      return { kind: "answer", thought: "", style: "default", text, streamed: text === written };
    },
  };
}

const answerWith = (modelAdvice: string): string =>
  `In the mode emulation we only talk, and talking needs a model, which cannot be reached. ${modelAdvice} Or switch the mode to dual or agent to work with skills.`;

const ANSWER_TO_GUEST =
  "This persona cannot answer at the moment: there is no language model on its server. Please try again later.";

/** The planner for conversations without a model: says that there is none, and what to do, which `modelAdvice` tells. */
export function createNoModelConversation(
  modelAdvice: () => Promise<string> = async () => HOW_TO_GET_A_MODEL,
): Planner {
  return {
    name: "conversation",
    async next({ persona }) {
      // Only a guest speaks with a persona here, and a guest cannot set up the server.
      const text = persona ? ANSWER_TO_GUEST : answerWith(await modelAdvice());
      return { kind: "answer", thought: "", style: "default", text };
    },
  };
}
