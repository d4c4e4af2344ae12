import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { TODO_SKILL } from "@metahuman/core/contract/todo";
import type { ModelRole } from "@metahuman/core/contract/models";
import type { ModelRouter } from "@metahuman/models/router";

/** Tokens of the context reserved for the reply; at most a quarter of a small context. */
export const REPLY_TOKENS = 1_024;
/** The assumed context length when no server reports one, in tokens. */
const DEFAULT_CONTEXT_TOKENS = 8_192;

/** The token budget of a prompt for the first model of a role. */
export async function promptBudget(router: ModelRouter, role: ModelRole): Promise<number> {
  const [ref] = (await router.modelsFor(role)).models;
  const info = ref === undefined ? undefined : await router.info(ref);
  const context = Math.min(info?.contextTokens ?? DEFAULT_CONTEXT_TOKENS, router.maxContextTokens());
  return context - Math.min(REPLY_TOKENS, Math.floor(context / 4));
}

/** The share of the catalog: the configured budget, at most half of the prompt's. */
export function catalogBudget({ catalog }: OperatorConfig["budgets"], budgetTokens: number): number {
  return Math.min(catalog, Math.floor(budgetTokens / 2));
}

/** How much of a long string argument a prompt repeats, in characters. */
const START_LENGTH = 300;
const END_LENGTH = 100;
/** The same for a call that failed, which the planner is to correct. */
const FAILED_START_LENGTH = 4_000;

/**
 * A call's arguments as prompts repeat them: a checklist in full, because the planner works through it until the end, and
 * more of a call that failed, because the planner corrects it.
 */
export function argsForPrompt(
  { tool, args }: NonNullable<ScratchpadEntry["action"]>,
  observation: ScratchpadEntry["observation"],
): Record<string, unknown> {
  if (tool === TODO_SKILL) return args;
  return clipArgs(args, observation?.success === false ? FAILED_START_LENGTH : START_LENGTH);
}

/** A call's arguments with long texts clipped. A text keeps its end, where the next part continues. */
export function clipArgs(
  args: Record<string, unknown>,
  startLength: number = START_LENGTH,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > startLength + END_LENGTH
        ? `${value.slice(0, startLength).toWellFormed()} […] ${value.slice(-END_LENGTH).toWellFormed()} (${value.length} characters)`
        : value,
    ]),
  );
}
