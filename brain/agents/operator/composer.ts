import { parseJson } from "@metahuman/core/contract/parse-json";
import { isRecord } from "@metahuman/core/text/is-record";
import { fenceData, escapeDataTags } from "@metahuman/core/context/fenced";
import type { ModelRole } from "@metahuman/core/contract/models";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { AnswerPort } from "@metahuman/skills/ports";
import type { PlanState } from "./planner.ts";
import { promptBudget } from "./planners/model/prompt-budget.ts";
import { prompt } from "./prompts/load-prompt.ts";

/** Writes the texts that a recipe composes at each replay. */
export interface Composer {
  /** If false, recipes with such a step are not replayed. */
  isAvailable(): Promise<boolean>;
  /**
   * Writes text for `goal` from `context`, by one model call. Throws `ModelUnavailableError` without a model,
   * `ModelError` for a reply that is not text, and `InvalidArgsError` for more context than the model reads at once.
   */
  compose(
    request: { goal: string; context: string },
    options: Pick<PlanState, "onModelCall" | "onWarning"> & { signal: AbortSignal },
  ): Promise<string>;
}

/** For a profile without models. */
export const noComposer: Composer = {
  isAvailable: () => Promise.resolve(false),
  compose: () => Promise.reject(new ModelUnavailableError("This text needs a language model.")),
};

export function createModelComposer(router: ModelRouter, role: () => ModelRole): Composer {
  return {
    isAvailable: async () => (await router.modelsFor(role())).models.length > 0,
    async compose({ goal, context }, { signal, onModelCall, onWarning }) {
      const task = `Task: ${escapeDataTags(goal)}\n\nMaterial:\n${fenceData(`\n${context}\n`)}`;
      // A text made from a part of the material would pass for one made from all of it.
      if (estimateTokens(task) > (await promptBudget(router, role())))
        throw new InvalidArgsError("The sources of this text are longer than the model can read at once.");
      const messages = [
        { role: "system" as const, content: prompt("compose", {}) },
        { role: "user" as const, content: task },
      ];
      const reply = await ask(
        { messages },
        { router, role: role(), purpose: "compose", signal, onModelCall, onWarning },
      );
      const text = withoutFence(reply.text.trim().replace(INTRODUCTION, ""));
      if (text === "" || isPlan(text))
        throw new ModelError("malformed", "The model returned no text for this step.", {
          provider: "none",
          suggestions: ["Ask again, or choose another model for this role under Settings → Models."],
        });
      return text;
    },
  };
}

/** The composer as the answer port of skills. */
export function composingWriter(composer: Composer, state: PlanState): AnswerPort {
  return {
    respond: ({ goal, context }, signal) => composer.compose({ goal, context }, { ...state, signal }),
  };
}

/** "Here is the summary:" on a line of its own before the text, which small models add although they are told not to. */
const INTRODUCTION = new RegExp(
  [
    String.raw`^(?:(?:sure|certainly|of course|okay|ok|klar|gerne|natürlich|bien sûr|claro)[!,. ]+)?`,
    String.raw`(?:here(?:['’]s| is| are)|below is|hier (?:ist|sind|kommt)|voici|aqu[ií] (?:está|tiene|va))\s[^\n]{0,100}:\s*\n+(?=\S)`,
  ].join(""),
  "iu",
);

/** The text inside a code fence that encloses all of it, which small models add although they are told not to. */
const withoutFence = (text: string): string =>
  /^(`{3,})[^\n`]*\n((?:(?!\n\1)[\s\S])*)\n\1$/u.exec(text)?.[2] ?? text;

/** True for a plan instead of a text, which a planner's model may return by mistake. */
function isPlan(text: string): boolean {
  const value = text.startsWith("{") ? parseJson(text) : undefined;
  return isRecord(value) && ("action" in value || "tool" in value || "thought" in value);
}
