import { fenced } from "@metahuman/core/context/fenced";
import { ModelUnavailableError } from "@metahuman/core/errors/model-unavailable-error";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { Summarizer } from "@metahuman/skills/ports";
import type { PlanState } from "./planner.ts";
import { clipToTokens, promptBudget } from "./planners/model/prompt-budget.ts";
import { prompt } from "./prompts/load-prompt.ts";

/** For a profile without models. */
export const noSummarizer: Summarizer = { summarize: async () => undefined };

/** Summarizes with the model of role `summarizer`; what it costs is the run's. */
export function createModelSummarizer(router: ModelRouter): (state: PlanState) => Summarizer {
  return (state) => ({
    async summarize(text, { maxWords, signal }) {
      if ((await router.modelsFor("summarizer")).models.length === 0) return undefined;
      const room = Math.floor((await promptBudget(router, "summarizer")) * 0.8);
      const material = clipToTokens(text, room);
      try {
        const reply = await ask(
          {
            messages: [
              { role: "system", content: prompt("summary", { words: String(maxWords) }) },
              { role: "user", content: fenced(`\n${material}\n`) },
            ],
          },
          {
            router,
            role: "summarizer",
            purpose: "summarize",
            signal,
            onModelCall: state.onModelCall,
            onWarning: state.onWarning,
          },
        );
        return reply.text.trim() || undefined;
      } catch (error) {
        if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
        state.onWarning?.(`${error.message} The summary is made of the text's own sentences.`);
        return undefined;
      }
    },
  });
}
