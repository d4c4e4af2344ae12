import { type ContextExplanation, FunctionGuide, type RelevantFunction } from "../contract/context.ts";
import type { FoundFunction, FunctionSearchAnswer } from "../contract/function-search.ts";
import { estimateTokens } from "../contract/tokens.ts";
import { FUNCTION_BACKGROUND, isCommonWord } from "../functions/retrieval/background-words.ts";
import { inverseFrequency } from "../memory/index/keyword-score.ts";
import { contentWords, stemOf } from "../text/words.ts";
import { codeSignature } from "../functions/code-signature.ts";
import { formatFunctionsForPrompt } from "../functions/format-functions-for-prompt.ts";

/** No prompt holds more guides than this: a second one leads astray more often than it helps. */
const MOST_FUNCTIONS = 1;
/** How many are looked at, to explain the choice. */
export const LOOKED_AT_FUNCTIONS = 3;
/**
 * How many times as well as a search result a guide in a prompt has to fit. Measured on labelled requests
 * (`bfcl-dev`, by `tests/bench/function-quality.ts`): of 100 requests that nothing fits, 81 get no guide instead of 46, and
 * of 100 right first results 94 are still offered.
 */
export const GUIDE_STRICTNESS = 1.45;
export const TOO_LONG = "It would have overrun the budget for functions.";

/** The functions a prompt is given, with what the inspector shows about their choice. */
export interface OfferedFunctions {
  functions: RelevantFunction[];
  explained: Pick<ContextExplanation, "functions" | "rejectedFunctions" | "functionTokens">;
}

/** The best of what was found that the token budget allows. */
export function offeredFunctions(
  request: string,
  { items, rejected }: FunctionSearchAnswer,
  budget: number,
): OfferedFunctions {
  const found = items.map(relevant);
  const aboutIt = found.filter((one) => !sharesTooLittle(request, one));
  const fitting = aboutIt.filter((one) => tokensOf([one]) <= budget);
  const kept = fitting.slice(0, MOST_FUNCTIONS);
  const left = found.filter((one) => !kept.includes(one));
  const passedOver = left.map((one) => ({
    id: one.id,
    title: one.title,
    score: one.score,
    reason: reasonAgainst(one, { aboutIt, fitting }),
  }));
  const others = rejected.map(({ id, title, score, reason }) => ({ id, title, score, reason }));
  return {
    functions: kept,
    explained: {
      functions: kept.map(({ id, title, score, rank, reason }) => ({ id, title, score, rank, reason })),
      rejectedFunctions: [...passedOver, ...others],
      functionTokens: tokensOf(kept),
    },
  };
}

function reasonAgainst(
  one: RelevantFunction,
  { aboutIt, fitting }: Record<"aboutIt" | "fitting", readonly RelevantFunction[]>,
): string {
  if (fitting.includes(one)) return "It fits, but another fits better.";
  return aboutIt.includes(one) ? TOO_LONG : "It shares too little with the request, or only general words.";
}

/** A guide has at least this share of the request's words, each weighed by how rare it is in general. */
const LEAST_SHARE = 0.18;
/** With at least this share of them, in number, a request is said as the guide says it, whatever the words. */
const MOST_OF_A_REQUEST = 2 / 3;

/**
 * True when a guide and a request share words, but too few, or none that tells what the task is about: "list" and "file"
 * of packing and of sorting. What was found by meaning needs no words, and of code most words are not in the guide.
 */
function sharesTooLittle(request: string, { guide, matchReason }: RelevantFunction): boolean {
  if (guide.kind === "code") return false;
  const { title, summary, steps, examples } = guide;
  const text = [title, summary, ...steps, ...examples.map(({ prompt }) => prompt)].join(" ");
  const known = new Set(stemsOf(text));
  const asked = [...new Set(stemsOf(request))];
  const shared = asked.filter((stem) => known.has(stem));
  if (shared.length === 0 || shared.length >= asked.length * MOST_OF_A_REQUEST) return false;
  if (shared.every(isCommonWord)) return true;
  return matchReason !== "semantic" && weightOf(shared) < LEAST_SHARE * weightOf(asked);
}

function weightOf(stems: readonly string[]): number {
  return stems.reduce(
    (sum, stem) => sum + inverseFrequency(0, 0, { stem, background: FUNCTION_BACKGROUND }),
    0,
  );
}

function stemsOf(text: string): string[] {
  return contentWords(text).map(stemOf);
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
  if (found.code) guide.signature = codeSignature(found.code, parameters);
  return { id, title, score, rank, matchReason, reason: explanation.text, guide };
}

function tokensOf(functions: readonly RelevantFunction[]): number {
  return estimateTokens(formatFunctionsForPrompt(functions));
}
