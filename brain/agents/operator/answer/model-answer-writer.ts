import { oneOf } from "@metahuman/core/text/patterns";
import type { ModelRole } from "@metahuman/core/contract/models";
import { fenceData, escapeDataTags } from "@metahuman/core/context/fenced";
import type { Persona } from "@metahuman/core/contract/profile";
import { parseJson } from "@metahuman/core/contract/parse-json";
import { inBrackets, keepCitations } from "@metahuman/core/contract/citation";
import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";
import { observedWithin } from "../tools/observed-within.ts";
import { conversationMessages } from "../planners/model/messages.ts";
import { earlierResults } from "../planners/model/planner-context.ts";
import { clipToTokens } from "@metahuman/core/contract/tokens";
import { promptBudget } from "../planners/model/prompt-budget.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { isObserved } from "./evidence.ts";
import { withoutRepaired } from "./open-failures.ts";
import type { AnswerWriter, AnswerRequest } from "./answer-writer.ts";

const lengths: Record<Exclude<ResponseStyle, "strict">, string> = {
  default: "Be brief: a few sentences, or a short list where the observations hold a list.",
  summary: "Two or three sentences.",
};

/**
 * Writes answers with the persona's model, from the observations of the run or, without any, from the conversation, the
 * memories and general knowledge. `fallback` writes `strict` answers over observations, and answers over observations
 * that the model fails to write. Throws `ModelUnavailableError` or `ModelError` when nothing was observed.
 */
export function createModelAnswerWriter(
  router: ModelRouter,
  fallback: AnswerWriter,
  role: () => ModelRole,
): AnswerWriter {
  return {
    async write(request, options) {
      const { style, state } = request;
      const scratchpad = request.scratchpad.filter(isObserved);
      if (style === "strict" && scratchpad.length > 0) return fallback.write(request, options);
      try {
        const reply = await ask(
          {
            messages: answerMessages(
              { ...request, scratchpad },
              style === "strict" ? "default" : style,
              await promptBudget(router, role()),
            ),
          },
          {
            router,
            role: role(),
            purpose: "answer",
            signal: options.signal,
            onModelCall: state.onModelCall,
            onWarning: state.onWarning,
            onText: options.onText,
          },
        );
        const text = withoutInvalidCitations(scratchpad, answerWithin(reply.text), state.onWarning);
        if (text === "" && scratchpad.length === 0)
          throw new ModelError("malformed", "The model returned no answer.", {
            provider: "none",
            suggestions: ["Ask again, or choose another model for this role under Settings."],
          });
        const isAnswer = text !== "" && !(scratchpad.length > 0 && isBareRefusal(text));
        return isAnswer ? text : await fallback.write(request, options);
      } catch (error) {
        const isModelFailure = error instanceof ModelError || error instanceof ModelUnavailableError;
        if (!isModelFailure || scratchpad.length === 0) throw error;
        state.onWarning?.(`${error.message} The answer is composed from the observations.`);
        return fallback.write(request, options);
      }
    },
  };
}

/** The answer in a reply that repeats the form of a plan, `""` for a plan without one; any other reply as it is. */
export function answerWithin(reply: string): string {
  const text = reply.trim();
  const json = /^(?:```(?:json)?\s*)?(\{[\s\S]*\})(?:\s*```)?$/u.exec(text)?.[1];
  const plan = Plan.safeParse(json === undefined ? undefined : parseJson(json));
  return plan.success ? (plan.data.answer?.trim() ?? "") : text;
}

/**
 * True for an apology or a refusal to help without a reason: "I'm sorry, but I can't help with that." Such an answer would hide what
 * the run did.
 */
const isBareRefusal = (text: string): boolean => BARE_REFUSAL.test(text);

const SORRY = String.raw`(?:i(?:['’]m| am) (?:(?:very|so|really) )?sorry|sorry|i apologi[sz]e|(?:my )?apologies|unfortunately)`;
const FOR_THAT = String.raw`(?: (?:for|about) (?:the|that|this|any)(?: (?:inconvenience|confusion|error|mistake|misunderstanding))?)`;
const APOLOGY = oneOf(
  `${SORRY}${FOR_THAT}?`,
  "(?:es tut mir (?:sehr )?leid|entschuldigung|leider)",
  "(?:je suis désolée?|désolée?)",
  "lo siento(?: mucho)?",
);
const I_CANNOT = String.raw`i(?: (?:cannot|can['’]?t|can not|won['’]?t)|(?: am|['’]m) (?:unable|not able) to)`;
const WITH_THAT = "(?: with (?:that|this|it|(?:that|this|your|the) (?:request|question|task)))";
const ICH_KANN = "(?:ich kann|(?:(?:dabei|damit|hierbei) )?kann ich)";
const REFUSAL = oneOf(
  `${I_CANNOT} (?:help|assist)(?: you)?${WITH_THAT}?`,
  `${ICH_KANN} (?:(?:dir|ihnen|euch) )?(?:(?:dabei|damit|hierbei) )?(?:leider )?nicht (?:weiter)?helfen`,
  String.raw`je ne peux pas (?:(?:vous |t['’])?aider)(?: avec cela)?`,
  "no puedo ayudar(?:te|le)?(?: con (?:eso|esto))?",
);
const BARE_REFUSAL = new RegExp(
  String.raw`^\W*(?:${APOLOGY}(?:[\s,.!–—-]+(?:but |aber |mais |pero )?${REFUSAL})?|${REFUSAL})\W*$`,
  "iu",
);

const Plan = z.union([
  z.looseObject({ thought: z.string(), respond: z.boolean(), answer: z.string().nullish() }),
  z.looseObject({ thought: z.string(), action: z.looseObject({ tool: z.string() }), answer: z.undefined() }),
]);

/** Writes citations in brackets, removes those of steps that do not exist, and warns about these. */
export function withoutInvalidCitations(
  scratchpad: readonly ScratchpadEntry[],
  text: string,
  onWarning: AnswerRequest["state"]["onWarning"],
): string {
  const steps = new Set(scratchpad.map(({ step }) => step));
  const cited = inBrackets(text, steps);
  const checked = keepCitations(cited, steps);
  if (checked !== cited)
    onWarning?.("The answer cited steps that were never made; these marks were taken out.");
  return checked;
}

const FROM_OBSERVATIONS =
  "About the person's files, tasks, memories and what was done, say only what the observations show, each fact with the number of its observation in brackets, like [2]. What they leave open may come from the memories, without a number; where the two differ, the observations are right. If something failed or was not done, say so and why.";
const FROM_KNOWLEDGE =
  "Nothing was looked up or done for this request: never say that it was. Answer from the conversation, the memories and what you know. What concerns the person's files, tasks or actions and is in none of them, you do not know: say so.";

function answerMessages(
  { goal, context, scratchpad, state }: AnswerRequest,
  style: Exclude<ResponseStyle, "strict">,
  budgetTokens: number,
): ChatMessage[] {
  const hasObserved = scratchpad.length > 0;
  const part = Math.floor(budgetTokens / 8);
  const rules = prompt("answer", personaSlots(state.context?.persona, { isInContext: true }));
  return conversationMessages(state, {
    rules,
    without: hasObserved ? ["functions", "tools", "tasks", "patterns"] : ["functions", "tools"],
    budgetTokens,
    about: [
      earlierResults(state),
      goal === state.request ? "" : `Aim of the answer: ${escapeDataTags(clipToTokens(goal, part))}`,
      context === "" ? "" : `Keep in mind: ${fenceData(clipToTokens(context, part))}`,
      state.rejectedAnswer === undefined
        ? ""
        : `Your answer until now: ${fenceData(clipToTokens(state.rejectedAnswer, part))}`,
      hasObserved
        ? `What was done:\n${observedWithin(withoutRepaired(scratchpad), Math.floor(budgetTokens / 2))}`
        : "",
      // Last, because they differ from answer to answer: the rules before them stay the same.
      `Facts: ${hasObserved ? FROM_OBSERVATIONS : FROM_KNOWLEDGE}\nLength: ${lengths[style]}`,
    ],
  });
}

/** The prompt slots of the persona. The voice is left out when the context contains it. */
export function personaSlots(
  persona: Persona | undefined,
  { isInContext }: { isInContext: boolean },
): Record<string, string> {
  if (!persona) return { name: "the operator", role: "", voice: "" };
  return {
    name: persona.name,
    role: persona.role === "" ? "" : `, ${persona.role}`,
    voice: isInContext || persona.voice === "" ? "" : `Your voice: ${persona.voice}`,
  };
}
