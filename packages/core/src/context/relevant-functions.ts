import { type ContextExplanation, FunctionGuide, type RelevantFunction } from "../contract/context.ts";
import type { FoundFunction, FunctionSearchAnswer } from "../contract/function-search.ts";
import { estimateTokens } from "../contract/tokens.ts";
import { formatFunctionsForPrompt } from "../functions/format-functions-for-prompt.ts";

/** No prompt holds more guides than this. */
export const MOST_FUNCTIONS = 3;

/** The functions a prompt is given, with what the inspector shows about their choice. */
export interface OfferedFunctions {
  functions: RelevantFunction[];
  explained: Pick<ContextExplanation, "functions" | "rejectedFunctions" | "functionTokens">;
}

/** The best of what was found, as many as the token budget allows. */
export function offeredFunctions(
  { items, rejected }: FunctionSearchAnswer,
  budget: number,
): OfferedFunctions {
  const found = items.slice(0, MOST_FUNCTIONS).map(relevant);
  let kept = found;
  while (kept.length > 0 && tokensOf(kept) > budget) kept = kept.slice(0, -1);
  const tooLong = found.slice(kept.length).map(({ id, title, score }) => ({
    id,
    title,
    score,
    reason: "It would have overrun the budget for functions.",
  }));
  const others = rejected.map(({ id, title, score, reason }) => ({ id, title, score, reason }));
  return {
    functions: kept,
    explained: {
      functions: kept.map(({ id, title, score, rank, reason }) => ({ id, title, score, rank, reason })),
      rejectedFunctions: [...tooLong, ...others],
      functionTokens: tokensOf(kept),
    },
  };
}

function relevant({
  function: found,
  score,
  rank,
  matchReason,
  explanation,
}: FoundFunction): RelevantFunction {
  const { id, title, summary, kind, skillsUsed, steps, parameters, examples } = found;
  const guide = FunctionGuide.parse({ title, summary, kind, skillsUsed, steps, parameters, examples });
  return { id, title, score, rank, matchReason, reason: explanation.text, guide };
}

function tokensOf(functions: readonly RelevantFunction[]): number {
  return estimateTokens(formatFunctionsForPrompt(functions));
}
