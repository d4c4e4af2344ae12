import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { ModelRole } from "@metahuman/core/contract/models";
import type { ModelRouter } from "@metahuman/models/router";

export { clipToTokens } from "@metahuman/core/contract/tokens";

/** Tokens of the context that a prompt leaves for the reply at least, and never more than a quarter of a small context. */
export const REPLY_TOKENS = 1_024;
/** Planned with when no server says how long a model's context is, in tokens. */
const DEFAULT_CONTEXT_TOKENS = 8_192;

/** How much a prompt may cost with the model that will most likely be asked, in tokens. */
export async function promptBudget(router: ModelRouter, role: ModelRole): Promise<number> {
  const [ref] = (await router.modelsFor(role)).models;
  const info = ref === undefined ? undefined : await router.info(ref);
  const context = Math.min(info?.contextTokens ?? DEFAULT_CONTEXT_TOKENS, router.maxContextTokens());
  return context - Math.min(REPLY_TOKENS, Math.floor(context / 4));
}

/** How much of it the catalog may take: what is configured, and never more than half. */
export function catalogBudget({ catalog }: OperatorConfig["budgets"], budgetTokens: number): number {
  return Math.min(catalog, Math.floor(budgetTokens / 2));
}

/** How much of a long string in arguments is shown to a model, in characters: the world holds the rest. */
const SHOWN_START = 300;
const SHOWN_END = 100;

/** A call's arguments as a model is reminded of them. The end of a long text is where the next part goes on. */
export function shownArgs(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > SHOWN_START + SHOWN_END
        ? `${value.slice(0, SHOWN_START).toWellFormed()} […] ${value.slice(-SHOWN_END).toWellFormed()} (${value.length} characters)`
        : value,
    ]),
  );
}
