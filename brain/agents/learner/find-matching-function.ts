import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory, FunctionParameter, Recipe } from "@metahuman/core/contract/function";
import { piecesOf, sourcesIn } from "@metahuman/core/contract/placeholders";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { CoveredRun } from "@metahuman/core/functions/learning/cover-run";
import type { GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import type { StoredFunction } from "@metahuman/core/functions/store/stored-function";
import { widenFunction, type WideningResult } from "@metahuman/core/functions/learning/widen";
import { isCommon } from "@metahuman/core/functions/learning/prompt-spans";
import { diceCoefficient } from "@metahuman/core/text/overlap";
import { withoutRepeats } from "./widen-guide.ts";
import { familyOf, hasFamily } from "@metahuman/core/functions/matching/families";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";

/** The minimum share of common words of two requests with the same purpose. */
const SAME_INTENT = 0.7;
const MAX_COMPARED = 200;
/** The maximum number of examples of a function; the newest are kept. */
export const MAX_EXAMPLES = 8;

/** Reads the run as an example of a recipe; see `coverRun`. */
export type Covers = (known: StoredFunction) => CoveredRun | undefined;

/** How a run is compared with functions. */
export interface Comparison {
  /** The calls of the run in words. */
  steps: readonly string[];
  covers: Covers;
  /** True for skills that only read: a planner may have looked around first. */
  reads: (skill: string) => boolean;
}

/** A function with the same calls and purpose as the run, and the additions of the run. */
export interface MatchedFunction<Item extends StoredFunction = FunctionMemory> {
  function: Item;
  widened: Exclude<WideningResult, { kind: "different" }>;
}

/**
 * Finds the function of which the run is another example, by its calls and by its steps in words. Functions with the same skills but
 * another purpose do not count.
 */
export async function findMatchingFunction(
  learned: GeneralizedRun,
  functions: FunctionsPort,
  comparison: Comparison,
): Promise<MatchedFunction | undefined> {
  const runSkills = learned.actions.map(({ skill }) => skill);
  const changes = runSkills.filter((skill) => !comparison.reads(skill));
  const skills = [...new Set(changes.length > 0 ? changes : runSkills)];
  const { items } = await functions.listFunctions({ skills, limit: MAX_COMPARED });
  return firstMatching(items, learned, comparison);
}

/** The first of these functions of which the run is another example. */
export function firstMatching<Item extends StoredFunction>(
  functions: readonly Item[],
  learned: GeneralizedRun,
  { steps, covers }: Comparison,
): MatchedFunction<Item> | undefined {
  const runSkills = learned.actions.map(({ skill }) => skill);
  for (const known of functions) {
    const actions = skillsOf(known);
    // Guides say "for each", so repeated calls do not make another function.
    const areGuides = !known.recipe && !known.code && !learned.isReplayable;
    const [functionSkills, comparedSkills] = areGuides
      ? [withoutRepeats(actions), withoutRepeats(runSkills)]
      : [actions, runSkills];
    if (!known.recipe && functionSkills.join() !== comparedSkills.join()) continue;
    const widened = known.recipe
      ? widenOrCover(known, learned, covers)
      : { kind: "same" as const, example: learned.example };
    if (widened.kind === "different") continue;
    const isSame =
      haveSameIntent(known, learned) ||
      isReworded(known, learned, widened) ||
      (areGuides && isSameGuide(known, learned, steps));
    if (isSame) return { function: known, widened };
  }
  return undefined;
}

/**
 * The addition of a run to the function that its calls followed, independently of the words of the request: that they followed it
 * shows the same purpose. Undefined if the function cannot express the run.
 */
export function matchFollowed<Item extends StoredFunction>(
  followed: Item,
  learned: GeneralizedRun,
  covers: Covers,
): MatchedFunction<Item> | undefined {
  const runSkills = learned.actions.map(({ skill }) => skill);
  if (withoutRepeats(skillsOf(followed)).join() !== withoutRepeats(runSkills).join()) return undefined;
  const widened = followed.recipe
    ? widenOrCover(followed, learned, covers)
    : { kind: "same" as const, example: learned.example };
  return widened.kind === "different" ? undefined : { function: followed, widened };
}

/** True if the calls of the run are some or all of those of the function, in its order. */
export function isPartOf({ actions }: GeneralizedRun, known: StoredFunction): boolean {
  const rest = withoutRepeats(skillsOf(known));
  return withoutRepeats(actions.map(({ skill }) => skill)).every((skill) => {
    const index = rest.indexOf(skill);
    if (index >= 0) rest.splice(0, index + 1);
    return index >= 0;
  });
}

const skillsOf = ({ recipe, examples }: StoredFunction): readonly string[] =>
  recipe?.actions.map(({ skill }) => skill) ?? examples[0]?.skillSequence ?? [];

/**
 * The addition of the run to a recipe: compared as templates, or else by the values that the recipe needs for these
 * calls.
 */
function widenOrCover(known: StoredFunction, learned: GeneralizedRun, covers: Covers): WideningResult {
  const widened = widenFunction(known, learned);
  const { recipe } = known;
  const covered = widened.kind === "different" && recipe ? covers(known) : undefined;
  if (!covered || !recipe) return widened;
  const example = { ...learned.example, parameters: covered.example.parameters };
  const { promptTemplate } = covered;
  if (recipe.promptTemplates.includes(promptTemplate)) return { kind: "same", example };
  return {
    kind: "wider",
    example,
    onlyWording: true,
    reason: `It is also asked for as “${promptTemplate}”.`,
    change: {
      recipe: { ...recipe, promptTemplates: [...recipe.promptTemplates, promptTemplate] },
      examples: [...known.examples, example].slice(-MAX_EXAMPLES),
    },
  };
}

function haveSameIntent(known: StoredFunction, learned: GeneralizedRun): boolean {
  const wanted = contentOf(learned.promptTemplate ?? learned.example.prompt);
  const texts = [
    known.title,
    ...(known.recipe?.promptTemplates ?? []),
    ...known.examples.map(({ prompt }) => prompt),
  ];
  return texts.some((text) => diceCoefficient(wanted, contentOf(text)) >= SAME_INTENT);
}

/**
 * True for equal calls with other values and another wording, if the calls themselves show the purpose or the requests
 * share a word or a folder. Calls with a composed text do not count, because they contain the request.
 */
function isReworded(
  { recipe, parameters, examples }: StoredFunction,
  { example }: GeneralizedRun,
  widened: WideningResult,
): boolean {
  if (!recipe || !(widened.kind === "same" || (widened.kind === "wider" && widened.onlyWording)))
    return false;
  const wanted = identifyingWordsOf(example.prompt);
  return (
    isOneProcedure(recipe) ||
    recipe.actions.some(({ args }) => Object.values(args).some(showsPurpose)) ||
    parameters.some((one) => showsPurpose(one.default)) ||
    examples.some(({ prompt }) => [...identifyingWordsOf(prompt)].some((word) => wanted.has(word)))
  );
}

/** The stems of the content words and folders of a request, without file extensions, and the synonym groups of its nouns. */
function identifyingWordsOf(prompt: string): Set<string> {
  const text = prompt.toLowerCase().replaceAll(/(?<=[\p{L}\p{N}])\.[a-z]{1,5}\b/gu, " ");
  const words = text.match(/[\p{L}]{3,}/gu) ?? [];
  const nouns = [...text.matchAll(AFTER_ARTICLE)].flatMap(([, noun = ""]) =>
    hasFamily(noun) ? [familyOf(noun)] : [],
  );
  return new Set([
    ...words.filter((word) => !FUNCTION_WORDS.has(word) && !isCommon(word)).map(stem),
    ...nouns,
  ]);
}

const AFTER_ARTICLE = /(?<!\p{L})(?:an?|the|my|our|another|new)\s+(\p{L}{3,})/gu;

/** True if each call uses the result of an earlier one. */
function isOneProcedure({ actions: [, ...later] }: Recipe): boolean {
  return later.length > 0 && later.every(({ args }) => sourcesIn(args).some(({ kind }) => kind === "step"));
}

/**
 * True for the steps and defaults of a guide, if a constant text shows their purpose: the folder in `clients/<name>`.
 */
function isSameGuide(
  known: StoredFunction,
  { parameters }: GeneralizedRun,
  steps: readonly string[],
): boolean {
  const defaults = (from: readonly FunctionParameter[]): unknown[] =>
    from.flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]]));
  return (
    isDeepStrictEqual(known.steps, steps) &&
    isDeepStrictEqual(defaults(known.parameters), defaults(parameters)) &&
    parameters.some((one) => showsPurpose(one.default))
  );
}

/** True if a template has constant text that shows its purpose; a root or a file extension does not. */
function showsPurpose(template: unknown): boolean {
  if (typeof template !== "string" || sourcesIn(template).length === 0) return false;
  const own = piecesOf(template).filter((piece) => typeof piece === "string");
  return /\p{L}{3}/u.test(
    own
      .join(" ")
      .replace(/\.\w+$/u, "")
      .replace(/^(?:out|inbox)\//u, ""),
  );
}

/** The stems of the constant words of a template. */
function contentOf(text: string): Set<string> {
  return new Set(plainWords(text.replaceAll(/\{\w+\}|<\w+>/g, " ")).map(stem));
}
