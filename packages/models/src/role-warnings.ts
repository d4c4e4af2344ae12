import { lacksTools } from "@metahuman/core/contract/model-abilities";
import type { ModelInfo, ModelRef, ModelRole } from "@metahuman/core/contract/models";

/** The context that each role needs for a typical prompt and its reply, in tokens. With less, parts are left out. */
const NEEDED_CONTEXT_TOKENS: Readonly<Record<Exclude<ModelRole, "embedder">, number>> = {
  planner: 8_192,
  persona: 4_096,
  chooser: 2_048,
  curator: 8_192,
  summarizer: 4_096,
};

export interface RoleUse {
  role: ModelRole;
  model: ModelRef;
  info: ModelInfo | undefined;
  /** The maximum context that is reserved, in tokens. */
  maxContextTokens: number;
  /** Whether this role plans with native tool calls. */
  plansWithToolCalls: boolean;
}

/** Returns what a model lacks for a role, with advice. Unknown properties cause no warnings. */
export function roleWarnings({ role, model, info, maxContextTokens, plansWithToolCalls }: RoleUse): string[] {
  const warnings: string[] = [];
  if (plansWithToolCalls && lacksTools(info)) warnings.push(`${noToolCalls(model)} ${TOOLS_ADVICE}`);
  if (role === "embedder") return warnings;
  const needed = NEEDED_CONTEXT_TOKENS[role];
  const need = `the ${role} needs ${formatTokens(needed)}, so parts of long prompts are left out.`;
  if (info?.contextTokens !== undefined && info.contextTokens < needed)
    warnings.push(
      `${model} has a context of ${formatTokens(info.contextTokens)} tokens; ${need} Choose a model with a larger context.`,
    );
  else if (maxContextTokens < needed)
    warnings.push(
      `maxContextTokens in etc/models.json reserves ${formatTokens(maxContextTokens)} tokens of context; ${need} Raise it.`,
    );
  return warnings;
}

/** The warning that a run also shows when it falls back to structured steps. */
export function noToolCalls(model: ModelRef): string {
  return `${model} does not support tool calls, so it plans with structured steps.`;
}

const TOOLS_ADVICE =
  "Choose a model with tools, or turn on structured planning under Settings → Request handling.";

function formatTokens(tokens: number): string {
  return tokens.toLocaleString("en");
}
