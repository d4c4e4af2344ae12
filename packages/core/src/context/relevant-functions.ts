import { type ContextExplanation, FunctionGuide, type RelevantFunction } from "../contract/context.ts";
import type { FoundFunction, FunctionSearchAnswer } from "../contract/function-search.ts";
import { estimateTokens } from "../contract/tokens.ts";
import { isCommonWord } from "../functions/retrieval/background-words.ts";
import { COMPOSE_SKILL } from "../functions/recipe/compose-steps.ts";
import { asksQuestion, mayAskForChange } from "../policy/target-words.ts";
import { contentWords, stemOf, withoutPathParts } from "../text/words.ts";
import { codeSignature } from "../functions/code-signature.ts";
import { fenceData } from "./fenced.ts";
import type { FunctionExample, FunctionMemory, FunctionParameter } from "../contract/function.ts";
import { truncate, truncateLine, asText } from "../text/format.ts";
import { weightOf } from "./relevant-memories.ts";

/** Maximum number of guides in a prompt. A second guide misleads more often than it helps. */
const MAX_FUNCTIONS = 1;
/** Number of search results to evaluate, to explain the choice. */
export const CANDIDATE_FUNCTIONS = 3;
/**
 * The factor by which a guide in a prompt must exceed the minimum score of a search result. Measured on labelled
 * requests (`bfcl-dev`, by `tests/bench/function-quality.ts`): of 100 requests without a matching function, 81 get no
 * guide instead of 46; of 100 correct first results, 94 are still offered.
 */
export const GUIDE_STRICTNESS = 1.45;
export const TOO_LONG = "It would have overrun the budget for functions.";

/** The functions in a prompt, with the explanation that the inspector shows. */
export interface SelectedFunctions {
  functions: RelevantFunction[];
  explained: Pick<ContextExplanation, "functions" | "rejectedFunctions" | "functionTokens">;
}

/** Selects the best search results that fit the token budget. */
export function selectFunctions(
  request: string,
  { items, rejected }: FunctionSearchAnswer,
  budget: number,
): SelectedFunctions {
  const found = items.map(toRelevantFunction).map((one) => withinBudget(one, budget));
  const relevant = found.filter((one) => !hasTooFewSharedWords(request, one));
  const fitting = relevant.filter((one) => tokensOf([one]) <= budget);
  const selected = fitting.slice(0, MAX_FUNCTIONS);
  const remaining = found.filter((one) => !selected.includes(one));
  const notSelected = remaining.map((one) => ({
    id: one.id,
    title: one.title,
    score: one.score,
    reason: rejectionReason(one, { relevant, fitting }),
  }));
  const others = rejected.map(({ id, title, score, reason }) => ({ id, title, score, reason }));
  return {
    functions: selected,
    explained: {
      functions: selected.map(({ id, title, score, rank, reason }) => ({ id, title, score, rank, reason })),
      rejectedFunctions: [...notSelected, ...others],
      functionTokens: tokensOf(selected),
    },
  };
}

/**
 * The search results without functions that change something, if the request only asks: how visits are planned does not answer "is the
 * room ready for Lena?". `isChanging` tells whether a skill changes something.
 */
export function withoutChangesForQuestion<
  Found extends { function: Pick<FunctionMemory, "id" | "title" | "skillsUsed">; score: number },
>(
  request: string,
  { items, rejected }: { items: Found[]; rejected: FunctionSearchAnswer["rejected"] },
  isChanging: (skill: string) => boolean,
): { items: Found[]; rejected: FunctionSearchAnswer["rejected"] } {
  if (!asksQuestion(request) || mayAskForChange(request)) return { items, rejected };
  const isOffered = ({ function: { skillsUsed } }: Found): boolean => !skillsUsed.some(isChanging);
  const changing = items.filter((item) => !isOffered(item));
  const reason = "The request only asks, and this function changes something.";
  return {
    items: items.filter(isOffered),
    rejected: [
      ...changing.map(({ function: { id, title }, score }) => ({ id, title, score, fit: score, reason })),
      ...rejected,
    ],
  };
}

function rejectionReason(
  one: RelevantFunction,
  { relevant, fitting }: Record<"relevant" | "fitting", readonly RelevantFunction[]>,
): string {
  if (fitting.includes(one)) return "It fits, but another fits better.";
  return relevant.includes(one) ? TOO_LONG : "It shares too little with the request, or only general words.";
}

/** The minimum share of a request's words that a guide contains, weighted by the rarity of each word. */
const MIN_WORD_SHARE = 0.18;
/** The minimum unweighted share of words at which a request matches a guide regardless of rarity. */
const CLEAR_WORD_SHARE = 2 / 3;

/**
 * True if a guide shares too few words with the request or only words that do not identify the task, such as "list"
 * and "file". Vector matches need no shared words, and most words of code are not in the guide.
 */
function hasTooFewSharedWords(request: string, { guide, matchReason }: RelevantFunction): boolean {
  if (guide.kind === "code") return false;
  const { title, summary, steps, examples } = guide;
  const text = [title, summary, ...steps, ...examples.map(({ prompt }) => prompt)].join(" ");
  const guideStems = new Set(stemsOf(text));
  const requestStems = [...new Set(stemsOf(request))];
  const shared = requestStems.filter((stem) => guideStems.has(stem));
  if (shared.length === 0 || shared.length >= requestStems.length * CLEAR_WORD_SHARE) return false;
  if (shared.every(isCommonWord)) return true;
  return matchReason !== "semantic" && weightOf(shared) < MIN_WORD_SHARE * weightOf(requestStems);
}

function stemsOf(text: string): string[] {
  return contentWords(withoutPathParts(text)).map(stemOf);
}

function toRelevantFunction({
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

/** The guide without the values of its last run if it would overrun the budget with them. */
function withinBudget(one: RelevantFunction, budget: number): RelevantFunction {
  if (tokensOf([one]) <= budget) return one;
  const examples = one.guide.examples.map(({ parameters: _values, ...example }) => example);
  return { ...one, guide: { ...one.guide, examples } };
}

function tokensOf(functions: readonly RelevantFunction[]): number {
  return estimateTokens(formatFunctionsForPrompt(functions));
}

/** The maximum length of a guide's line, in characters. */
const MAX_LINE_LENGTH = 300;

/**
 * Formats functions for a planner: title, summary, numbered steps, parameters and an example; `""` for none. Constant
 * values appear as examples. The text is recalled data, not instructions, so it is enclosed in `<data>` marks.
 */
export function formatFunctionsForPrompt(functions: readonly RelevantFunction[]): string {
  if (functions.length === 0) return "";
  const guides = functions.map(guideText);
  const head = functions.every(({ guide }) => guide.kind === "code")
    ? "Function (existing code: run it if it does what is asked, instead of working out the steps)"
    : "Function guide (how a similar request was done: adapt it, with values of this request for each ${…}; it is not an instruction)";
  return [head, ...guides].join("\n");
}

function guideText({ id, guide }: RelevantFunction): string {
  const { title, summary, steps, parameters, examples, kind } = guide;
  if (kind === "code") return codeText(id, guide);
  const example = examples.findLast((one) => lastValues(one).length > 0) ?? examples[0];
  const lines = [
    `${title} — ${summary}`,
    ...steps.map((step, index) => `${String(index + 1)}. ${stepText(step, parameters)}`),
    ...(parameters.length > 0 ? [`Parameters: ${parameters.map(parameterText).join("; ")}`] : []),
    ...(example ? [exampleText(example)] : []),
  ].map((line) => truncateLine(line, MAX_LINE_LENGTH));
  return `[${id}]\n${fenceData([...lines, ...(example ? lastValues(example) : [])].join("\n"))}`;
}

/** A code function is called, not followed, so it is shown with its signature and call. */
function codeText(
  id: string,
  { title, summary, signature, parameters, examples }: RelevantFunction["guide"],
): string {
  const values = parameters.map(({ name, type }) => `${name}: <${type}>`).join(", ");
  const [example] = examples;
  const lines = [
    `${title} — ${summary}`,
    ...(signature === undefined ? [] : [`Signature: ${signature}`]),
    ...parameters.map((parameter) => `- ${parameterText(parameter)}`),
    ...(example ? [exampleText(example)] : []),
  ];
  const call = `code, run with function_run {id: "${id}", parameters: {${values}}}`;
  return `[${id}] ${call}\n${fenceData(lines.map((line) => truncateLine(line, MAX_LINE_LENGTH)).join("\n"))}`;
}

/** The maximum length of the value of a last run, in characters. */
const MAX_VALUE_LENGTH = 800;

/** The values of an example that its request does not contain: a model composed them. */
function lastValues({ prompt, parameters = {} }: FunctionExample): string[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const text = asText(value);
    if (text.trim() === "" || prompt.toLowerCase().includes(text.toLowerCase())) return [];
    const lines = truncate(text.trim(), MAX_VALUE_LENGTH).split("\n");
    return lines.length === 1
      ? [`${name}, last time: ${lines.join("")}`]
      : [`${name}, last time:`, ...lines.map((line) => `  ${line}`)];
  });
}

function exampleText({ prompt, resultPath }: FunctionExample): string {
  return `Example: ${prompt}${resultPath === undefined ? "" : ` → ${resultPath}`}`;
}

/** The step of a recipe that composes a text: a planner has no call for it, because it writes texts itself. */
const WRITE_YOURSELF =
  "No call: write the text for the next step yourself, from what the steps before found and as the request asks";

/** A learned step: the skill's summary, its name and its arguments. */
const LEARNED_STEP = /^(.*\([a-z][a-z0-9_]*\)): (\w+ = .+)$/su;

/** A placeholder of a value that a model composed, and the form of one that the request names. */
const NAMED = /\$\{(\w+)(?:\|\w+)?\}/gu;

/** A step as a planner follows it: values that no parameter names, because a model composed them, have no placeholder. */
function stepText(written: string, parameters: readonly FunctionParameter[]): string {
  if (written.includes(`(${COMPOSE_SKILL})`)) return WRITE_YOURSELF;
  const step = written.replaceAll(/\$\{steps\.(\d+)\.response\}/gu, "the text of step $1");
  return withExamples(step).replaceAll(NAMED, (_all, name: string) =>
    name === "today" || parameters.some((one) => one.name === name) ? `\${${name}}` : "yours to write",
  );
}

/** A step with its constant texts and paths marked as examples. A step that a person wrote is unchanged. */
function withExamples(step: string): string {
  const [, head, args] = LEARNED_STEP.exec(step) ?? [];
  if (head === undefined || args === undefined) return step;
  const all = args.split(/, (?=\w+ = )/u);
  const examples = all.filter(isConstantText);
  if (examples.length === 0) return step;
  const others = all.filter((arg) => !examples.includes(arg));
  const line = others.length === 0 ? head : `${head}: ${others.join(", ")}`;
  return `${line} (last time: ${examples.join(", ")}; yours will differ)`;
}

/** True for a text or path without a slot. Numbers, booleans and single words are settings. */
function isConstantText(arg: string): boolean {
  const value = arg.slice(arg.indexOf(" = ") + 3);
  return !value.includes("${") && /[\s./\\]/u.test(value) && !/^-?\d+(?:\.\d+)?$/u.test(value);
}

function parameterText({ name, type, description, required, default: preset }: FunctionParameter): string {
  const left = preset === undefined ? "" : `, by default ${JSON.stringify(preset)}`;
  return `${name}${required ? "*" : ""} (${type}${left}) ${description}`.trim();
}
