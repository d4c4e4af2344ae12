import type { ModelRole } from "@metahuman/core/contract/models";
import type { Persona } from "@metahuman/core/contract/profile";
import { keepCitations } from "@metahuman/core/contract/citation";
import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import { ModelUnavailableError } from "@metahuman/core/errors/model-unavailable-error";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { observedWithin } from "./observed-within.ts";
import { knownToPlanner } from "./planners/model/known-to-planner.ts";
import { clipToTokens, promptBudget } from "./planners/model/prompt-budget.ts";
import { prompt } from "./prompts/load-prompt.ts";
import { isObserved } from "./answer/evidence.ts";
import type { Wording, WordingRequest } from "./wording.ts";

const lengths: Record<Exclude<ResponseStyle, "strict">, string> = {
  default: "Be brief: a few sentences, or a short list where the observations hold a list.",
  summary: "Two or three sentences.",
};

/**
 * Words answers with the persona's model, from the observations alone. `strict` answers, runs without an observation
 * and everything a model cannot word at this moment are worded by `byCode`.
 */
export function createModelWording(router: ModelRouter, byCode: Wording, role: () => ModelRole): Wording {
  return {
    async word(request, options) {
      const { style, state } = request;
      const scratchpad = request.scratchpad.filter(isObserved);
      if (style === "strict" || scratchpad.length === 0) return byCode.word(request, options);
      try {
        const reply = await ask(
          {
            messages: answerMessages({ ...request, scratchpad }, style, await promptBudget(router, role())),
          },
          {
            router,
            role: role(),
            purpose: "answer",
            signal: options.signal,
            onModelCall: state.onModelCall,
            onWarning: state.onWarning,
            onText: options.grew,
          },
        );
        const text = citingOnly(scratchpad, reply.text.trim(), state.onWarning);
        return text || (await byCode.word(request, options));
      } catch (error) {
        if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
        state.onWarning?.(`${error.message} The answer is put together from the observations.`);
        return byCode.word(request, options);
      }
    },
  };
}

/** An answer may cite no step that was never made. */
function citingOnly(
  scratchpad: readonly ScratchpadEntry[],
  text: string,
  onWarning: WordingRequest["state"]["onWarning"],
): string {
  const checked = keepCitations(text, new Set(scratchpad.map(({ step }) => step)));
  if (checked !== text)
    onWarning?.("The answer cited steps that were never made; these marks were taken out.");
  return checked;
}

function answerMessages(
  { goal, context, scratchpad, state }: WordingRequest,
  style: Exclude<ResponseStyle, "strict">,
  budgetTokens: number,
): ChatMessage[] {
  const known = knownToPlanner(state);
  const request = clipToTokens(state.request, Math.floor(budgetTokens / 4));
  const observed = observedWithin(scratchpad, Math.floor(budgetTokens / 2));
  return [
    {
      role: "system",
      content: prompt("answer", { ...personaSlots(state.context?.persona), length: lengths[style] }),
    },
    {
      role: "user",
      content: [
        known,
        `Request: ${request}`,
        goal === state.request
          ? ""
          : `Aim of the answer: ${clipToTokens(goal, Math.floor(budgetTokens / 8))}`,
        context === "" ? "" : `Keep in mind: ${clipToTokens(context, Math.floor(budgetTokens / 8))}`,
        `What was done:\n${observed}`,
      ]
        .filter((part) => part !== "")
        .join("\n\n"),
    },
  ];
}

/** The prompt slots that say who is speaking. */
export function personaSlots(persona: Persona | undefined): Record<string, string> {
  if (!persona) return { name: "the operator", role: "", voice: "" };
  return {
    name: persona.name,
    role: persona.role === "" ? "" : `, ${persona.role}`,
    voice: persona.voice === "" ? "" : `Your voice: ${persona.voice}`,
  };
}
