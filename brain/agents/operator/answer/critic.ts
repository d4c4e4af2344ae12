import type { ModelRole } from "@metahuman/core/contract/models";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { fenced, withFenceClosed } from "@metahuman/core/context/fenced";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { askForJson } from "@metahuman/models/structured-reply";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";
import { observedWithin } from "../tools/observed-within.ts";
import type { PlanState } from "../planner.ts";
import { knownToPlanner } from "../planners/model/known-to-planner.ts";
import { clipToTokens, promptBudget, REPLY_TOKENS } from "../planners/model/prompt-budget.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { isObserved } from "./evidence.ts";

/** Checks an answer against the observations of its run. */
export interface Critic {
  /** What the answer claims and no observation shows, each in a few words; empty when all of it is shown. */
  unsupported(answer: string, state: PlanState, signal: AbortSignal): Promise<string[]>;
}

/** How many claims are looked at, and how much of each is repeated, in characters. */
const MAX_CLAIMS = 20;
const CLAIM_LENGTH = 200;

const Reply = z.object({
  claims: z.array(z.object({ claim: z.string().trim().min(1), support: z.int() })).max(200),
});

/**
 * Asks the planner's model for what the check by code cannot find. Where the model cannot say, the person is told that
 * the answer was not checked by it.
 */
export function createCritic(router: ModelRouter, role: () => ModelRole): Critic {
  return {
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
    const messages = [
      { role: "system" as const, content: prompt("review") },
      { role: "user" as const, content: question(answer, state, budget) },
    ];
    try {
      return await askForJson(
        Reply,
        { messages, temperature: 0, maxTokens: REPLY_TOKENS },
        { router, role: role(), purpose: "review", signal, onModelCall, onWarning },
      );
    } catch (error) {
      if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
      onWarning?.(`${error.message} The answer was not checked against the observations.`);
      return undefined;
    }
  }
}

function question(answer: string, state: PlanState, budgetTokens: number): string {
  const part = Math.floor(budgetTokens / 5);
  const known = knownToPlanner(state);
  return [
    `Request: ${clipToTokens(state.request, part)}`,
    known === "" ? "" : `Given material:\n${withFenceClosed(clipToTokens(known, part))}`,
    `Observations:\n${observedWithin(observationsOf(state.scratchpad), 2 * part)}`,
    `Answer:\n${fenced(clipToTokens(answer, part))}`,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

const observationsOf = (scratchpad: readonly ScratchpadEntry[]): ScratchpadEntry[] =>
  scratchpad.filter(isObserved);
