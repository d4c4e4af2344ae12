import type { ModelRole } from "@metahuman/core/contract/models";
import { fenced, withFenceClosed } from "@metahuman/core/context/fenced";
import {
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { askForJson } from "@metahuman/models/structured-reply";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatMessage } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";
import { observedWithin } from "../tools/observed-within.ts";
import type { PlanState } from "../planner.ts";
import { knownToPlanner } from "../planners/model/known-to-planner.ts";
import { momentFor } from "../planners/model/messages.ts";
import { clipToTokens, promptBudget, REPLY_TOKENS } from "../planners/model/prompt-budget.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { isObserved } from "./evidence.ts";

/** Has a model check an answer against the observations of its run. */
export interface Critic {
  /**
   * Compares sentences with what is known and observed, in one short call. The verdicts are by index; a sentence about
   * which the model says nothing has none, and there are none when the model cannot say.
   */
  verdicts(
    sentences: readonly string[],
    state: PlanState,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Verdict>>;
  /** What the answer claims and no observation shows, each in a few words; empty when all of it is shown. */
  unsupported(answer: string, state: PlanState, signal: AbortSignal): Promise<string[]>;
}

/** `general` is a sentence that needs no evidence. */
const Verdict = z.enum(["shown", "general", "not shown"]);
export type Verdict = z.infer<typeof Verdict>;

/** How many claims are looked at, and how much of each is repeated, in characters. */
const MAX_CLAIMS = 20;
const CLAIM_LENGTH = 200;

/** How many sentences are checked in one call. */
const MAX_SENTENCES = 40;

const Verdicts = z.object({
  sentences: z.array(
    z.object({
      number: z.int(),
      evidence: z.string(),
      verdict: Verdict,
    }),
  ),
});

const Claims = z.object({
  claims: z.array(z.object({ claim: z.string().trim().min(1), support: z.int() })).max(200),
});

/**
 * Asks the planner's model for what the check by code cannot find. Where the model cannot say, the person is told that
 * the answer was not checked by it.
 */
export function createCritic(router: ModelRouter, role: () => ModelRole): Critic {
  return {
    async verdicts(sentences, state, signal) {
      const asked = sentences.slice(0, MAX_SENTENCES).map((sentence) => sentence.replaceAll("\n", " "));
      const reply = await compare(asked, state, signal);
      if (!reply?.ok) return new Map();
      const given = reply.value.sentences.map(({ number, verdict }): [number, Verdict] => [
        number - 1,
        verdict,
      ]);
      return new Map(given.filter(([index]) => index in asked));
    },

    async unsupported(answer, state, signal) {
      const reply = await review(answer, state, signal);
      if (reply === undefined) return [];
      if (!reply.ok) {
        state.onWarning?.("The answer could not be checked against the observations.");
        return [];
      }
      const observed = new Set(state.scratchpad.filter(isObserved).map(({ step }) => step));
      return reply.value.claims
        .slice(0, MAX_CLAIMS)
        .filter(({ support }) => !observed.has(support))
        .map(({ claim }) => claim.slice(0, CLAIM_LENGTH).toWellFormed());
    },
  };

  async function review(answer: string, state: PlanState, signal: AbortSignal) {
    const { onModelCall, onWarning } = state;
    const budget = await promptBudget(router, role());
    const known = knownToPlanner(state);
    const part = Math.floor(budget / PARTS);
    const content = [evidenceText(state, known, budget), `Answer:\n${fenced(clipToTokens(answer, part))}`];
    const messages = promptOf("review", content);
    try {
      return await askForJson(
        Claims,
        { messages, temperature: 0, maxTokens: REPLY_TOKENS },
        { router, role: role(), purpose: "review", signal, onModelCall, onWarning },
      );
    } catch (error) {
      if (!isModelLost(error)) throw error;
      onWarning?.(`${error.message} The answer was not checked against the observations.`);
      return undefined;
    }
  }

  async function compare(sentences: readonly string[], state: PlanState, signal: AbortSignal) {
    const budget = await promptBudget(router, role());
    const { context, conversation } = state;
    const known = context
      ? formatContextForPrompt(context, { without: ["functions", "tools"] })
      : formatConversation(conversation);
    const numbered = sentences.map((sentence, index) => `${String(index + 1)}. ${sentence}`).join("\n");
    const content = [
      evidenceText(state, known, budget),
      `Sentences:\n${fenced(clipToTokens(numbered, Math.floor(budget / PARTS)))}`,
      `(Now: ${momentFor(state)}.)`,
    ];
    const messages = promptOf("check-sentences", content);
    try {
      return await askForJson(
        Verdicts,
        { messages, temperature: 0, maxTokens: REPLY_TOKENS },
        { router, role: role(), purpose: "review", signal, onModelCall: state.onModelCall, retry: false },
      );
    } catch (error) {
      if (!isModelLost(error)) throw error;
      return undefined;
    }
  }
}

const isModelLost = (error: unknown): error is ModelError | ModelUnavailableError =>
  error instanceof ModelError || error instanceof ModelUnavailableError;

const promptOf = (name: "review" | "check-sentences", content: readonly string[]): ChatMessage[] => [
  { role: "system", content: prompt(name) },
  { role: "user", content: content.join("\n\n") },
];

/** The parts of a prompt: request, known material, observations (two), answer. */
const PARTS = 5;

/** The request, what is known and what was observed, within three fifths of the budget and the request. */
function evidenceText(state: PlanState, known: string, budgetTokens: number): string {
  const part = Math.floor(budgetTokens / PARTS);
  const observed = state.scratchpad.filter(isObserved);
  return [
    `Request: ${clipToTokens(state.request, part)}`,
    known === "" ? "" : `Given material:\n${withFenceClosed(clipToTokens(known, part))}`,
    observed.length === 0 ? "" : `Observations:\n${observedWithin(observed, 2 * part)}`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}
