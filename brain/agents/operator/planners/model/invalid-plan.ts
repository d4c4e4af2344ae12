import { PlanInvalidError } from "@metahuman/core/errors/run-errors";
import type { Reply } from "@metahuman/models/ask";
import { prompt } from "../../prompts/load-prompt.ts";

/** Words per token of prose, low enough to leave room for JSON syntax. */
const WORDS_PER_TOKEN = 0.5;

/** The advice to a model whose reply with a long text was cut off after this number of tokens. */
export function cutOffAdvice(tokens: number): string {
  return prompt("cut-off", { words: String(Math.floor(tokens * WORDS_PER_TOKEN)) });
}

/** The error for a reply that stayed unusable after every retry. */
export function invalidPlanError({
  problems,
  reply,
}: {
  problems: readonly string[];
  reply: Reply;
}): PlanInvalidError {
  const { cutOffAfterTokens } = reply;
  if (cutOffAfterTokens === undefined) {
    return new PlanInvalidError("The model's plan could not be read.", {
      context: { problems },
      suggestions: ["Try again, or choose another model for planning under Settings."],
    });
  }
  return new PlanInvalidError(
    `The model's plan was cut off at ${cutOffAfterTokens} tokens, before it was complete.`,
    {
      context: { problems },
      suggestions: [
        "Ask for less at once.",
        "Choose a model with a larger context, or raise maxContextTokens in etc/models.json.",
      ],
    },
  );
}
