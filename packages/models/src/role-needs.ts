import { lacksTools } from "@metahuman/core/contract/model-abilities";
import type { ModelInfo, ModelRef, ModelRole } from "@metahuman/core/contract/models";

/** The context that each role's usual prompt needs with its reply, in tokens. Less works, with parts left out. */
const NEEDED_CONTEXT_TOKENS: Readonly<Record<Exclude<ModelRole, "embedder">, number>> = {
  planner: 8_192,
  persona: 4_096,
  curator: 8_192,
  summarizer: 4_096,
};

export interface RoleUse {
  role: ModelRole;
  model: ModelRef;
  info: ModelInfo | undefined;
  /** The most context that is ever reserved, in tokens. */
  maxContextTokens: number;
  /** Whether this role plans with the model's own tool calls. */
  plansWithToolCalls: boolean;
}

/** What a model lacks for a role, each as sentences that say what to do. Empty for what nobody knows. */
export function roleWarnings({ role, model, info, maxContextTokens, plansWithToolCalls }: RoleUse): string[] {
  const warnings: string[] = [];
  if (plansWithToolCalls && lacksTools(info)) warnings.push(`${noToolCalls(model)} ${TOOLS_ADVICE}`);
  if (role === "embedder") return warnings;
  const needed = NEEDED_CONTEXT_TOKENS[role];
  const needs = `the ${role} needs ${inWords(needed)}, so parts of long prompts are left out.`;
  if (info?.contextTokens !== undefined && info.contextTokens < needed)
    warnings.push(
      `${model} has a context of ${inWords(info.contextTokens)} tokens; ${needs} Choose a model with a larger context.`,
    );
  else if (maxContextTokens < needed)
    warnings.push(
      `maxContextTokens in etc/models.json reserves ${inWords(maxContextTokens)} tokens of context; ${needs} Raise it.`,
    );
  return warnings;
}

/** Said in the run as well, where it plans in another way for this reason. */
export function noToolCalls(model: ModelRef): string {
  return `${model} does not support tool calls, so it plans with structured steps.`;
}

const TOOLS_ADVICE = "Choose a model with tools, or switch structured steps on under Settings → Switches.";

function inWords(tokens: number): string {
  return tokens.toLocaleString("en");
}
