import type { FunctionMemory } from "@metahuman/core/contract/function";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { parseParameters, withReadValues } from "@metahuman/core/functions/parameters";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import { COMPOSE_SKILL } from "@metahuman/core/functions/recipe/compose-steps";
import { familyOf, kindsOfVerb, NEUTRAL } from "@metahuman/core/functions/matching/families";
import { conceptsOf } from "@metahuman/core/functions/matching/function-concepts";
import {
  isOwnNegation,
  findContradiction,
  findUncovered,
} from "@metahuman/core/functions/matching/contradictions";
import { alignRequest } from "@metahuman/core/functions/matching/align-request";
import { endOfQuestion } from "@metahuman/core/functions/matching/clauses";
import { type ReadableRequest, readUnits } from "@metahuman/core/functions/matching/request-units";
import { deniesAct } from "@metahuman/core/functions/matching/ruled-out";
import { assignRoles } from "@metahuman/core/functions/matching/word-roles";
import type { RecipeFunction } from "@metahuman/core/functions/recipe/match-types";
import { inValuesOf, losesTime } from "@metahuman/core/functions/recipe/plausible";
import { type StatedValue, statedValues } from "@metahuman/core/functions/matching/slot-candidates";
import { type Clock } from "@metahuman/core/language/dates/clock";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import { linePreview } from "@metahuman/skills/support/phrasing";
import type { ModelRouter } from "@metahuman/models/router";
import { askForJson } from "@metahuman/models/structured-reply";
import { z } from "zod";
import type { Planner, PlanState } from "../../planner.ts";
import { interpretAlone } from "../built-in/interpret-request.ts";
import { choiceMessages, choiceSchema } from "./choice-prompt.ts";
import { createReplayPlanner } from "../replay.ts";

/** The maximum number of functions that a model chooses from. */
const MAX_CANDIDATES = 5;
const REPLY_TOKENS = 300;

const Choice = z.object({
  function: z.string().nullable(),
  values: z.record(z.string(), z.unknown()).default({}),
  because: z.string().default(""),
});
type Choice = z.infer<typeof Choice>;

/** What a choice is checked against. */
type ChoiceState = Pick<PlanState, "request" | "conversation" | "requestedAt" | "timeZone" | "skills">;

/** The time limit of a choice in milliseconds; a slow choice would save nothing. */
const CHOICE_MS = 30_000;

/**
 * Asks a model once which of these functions is meant, the likeliest first, and replays that one; otherwise the next planner
 * plans. Nothing is chosen if a value is not in the words of the request or the conversation, if a part of the request asks
 * for something else, or if the model fails or takes longer than `withinMs`. After a restart in the middle of the run, the next planner continues from what
 * was observed.
 */
export function createChooser(
  candidates: readonly FunctionMemory[],
  next: Planner,
  router: ModelRouter,
  withinMs = CHOICE_MS,
): Planner {
  let chosen: Promise<Planner> | undefined;
  let planner = next;
  return {
    get name() {
      return planner.name;
    },
    get matched() {
      return planner.matched;
    },
    get deviation() {
      return planner.deviation;
    },
    composes: (step) => planner.composes?.(step) ?? false,
    async next(state, signal) {
      chosen ??= chooseWithModel(
        candidates.slice(0, MAX_CANDIDATES),
        { next, router, withinMs },
        state,
        signal,
      );
      planner = await chosen;
      return planner.next(state, signal);
    },
  };
}

async function chooseWithModel(
  candidates: readonly FunctionMemory[],
  { next, router, withinMs }: { next: Planner; router: ModelRouter; withinMs: number },
  state: PlanState,
  signal: AbortSignal,
): Promise<Planner> {
  if (state.scratchpad.length > 0) return next;
  const { onModelCall, onWarning } = state;
  const late = AbortSignal.timeout(withinMs);
  try {
    const reply = await askForJson(
      Choice,
      {
        messages: choiceMessages(candidates, state),
        format: choiceSchema(candidates),
        temperature: 0,
        maxTokens: REPLY_TOKENS,
      },
      {
        router,
        role: "chooser",
        purpose: "choose",
        signal: AbortSignal.any([signal, late]),
        onModelCall,
        onWarning,
      },
    );
    if (!reply.ok) return next;
    const chosen = checkChoice(candidates, reply.value, state);
    if (typeof chosen === "string") {
      const named = reply.value.function;
      if (named !== null)
        onWarning?.(
          `A model chose “${findCandidate(candidates, named)?.title ?? linePreview(named)}”, which was not followed: ${chosen} The request was planned instead.`,
        );
      return next;
    }
    const { values } = chosen;
    const match = {
      function: chosen.function,
      values,
      score: 1,
      explainsAsMuch: true,
      reason: "A model chose it.",
    };
    return createReplayPlanner(match, next);
  } catch (error) {
    // A request for which the model cannot choose is planned; an internal error is shown.
    if (signal.aborted || !(late.aborted || error instanceof MetahumanError)) throw error;
    return next;
  }
}

/** The function that a model chose with its checked values, or the reason why the choice is not accepted. */
export function checkChoice<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  { function: id, values: given }: Pick<Choice, "function" | "values">,
  state: ChoiceState,
): { function: Candidate; values: Record<string, unknown> } | string {
  if (id === null) return "No function was chosen.";
  const chosen = findCandidate(candidates, id);
  if (chosen === undefined) return "It is none of the functions that were named.";
  const stated = statedIn(chosen, state);
  const values = checkedValues(chosen, given, stated, state);
  if (typeof values === "string") return values;
  if (asksForMore(chosen, state)) return "A part of the request asks for something else.";
  const request = readUnits(state.request, clockOf(state));
  if (request === undefined) return "The request is too long.";
  if (asksAQuestion(chosen, request)) return "The request is a question.";
  if (isDenied(chosen, values, request)) return "The request denies it.";
  if (losesTime(request, chosen, values)) return "The time of day is not among the values.";
  const more = contradictionOf(chosen, values, request);
  if (more !== undefined) return more;
  const start = addressLeftOut(request, values, chosen) ?? startLeftOut(request, values);
  if (start !== undefined) return `“${start}” is not among the values.`;
  if (contradicts(chosen, values, stated, state)) return "The request is about something else.";
  return { function: chosen, values };
}

/** The candidate whose id a model wrote, alone or with other words, or whose title, if it is the title of one candidate only. */
function findCandidate<Candidate extends Pick<RecipeFunction, "id" | "title">>(
  candidates: readonly Candidate[],
  named: string,
): Candidate | undefined {
  const title = normalizeText(named);
  const withId = candidates.filter(({ id }) => named.includes(id));
  const found = withId.length > 0 ? withId : candidates.filter((one) => normalizeText(one.title) === title);
  return new Set(found.map(({ id }) => id)).size === 1 ? found[0] : undefined;
}

const clockOf = ({ requestedAt, timeZone }: ChoiceState): Clock => ({ now: requestedAt, timeZone });

/** What the person said in this request, and in the conversation before it. */
const personTexts = ({ request, conversation }: ChoiceState): string[] => [
  request,
  ...conversation.turns.flatMap(({ role, text }) => (role === "person" ? [text] : [])),
];

const statedIn = (chosen: RecipeFunction, state: ChoiceState): StatedValue[] =>
  personTexts(state).flatMap((text) => statedValues(text, chosen, clockOf(state)));

/** True if words outside the values say that the function's own act is not to be done. */
function isDenied(
  chosen: RecipeFunction,
  values: Readonly<Record<string, unknown>>,
  request: ReadableRequest,
): boolean {
  const isInValue = inValuesOf(request.text, values);
  const annotated = assignRoles(alignRequest(request, conceptsOf(chosen)));
  return deniesAct(
    annotated,
    (at) => isInValue(request.units[at]),
    (at) => isOwnNegation(annotated, at, chosen),
  );
}

/** Why words outside the values say the opposite of the function, or ask for something that it leaves out. */
function contradictionOf(
  chosen: RecipeFunction,
  values: Readonly<Record<string, unknown>>,
  request: ReadableRequest,
): string | undefined {
  const isInUnits = inValuesOf(request.text, values);
  const isInValue = (at: number): boolean => isInUnits(request.units[at]);
  const annotated = assignRoles(alignRequest(request, conceptsOf(chosen)));
  return (
    findContradiction(annotated, isInValue, chosen) ?? findUncovered(annotated, isInValue, values, chosen)
  );
}

/** A file or an address that is neither in a value nor named by the function itself: the second file of a request for two. */
function addressLeftOut(
  { text, units }: ReadableRequest,
  values: Readonly<Record<string, unknown>>,
  { recipe, parameters }: RecipeFunction,
): string | undefined {
  const isInValue = inValuesOf(text, values);
  const held = Object.values(values).map((value) => String(value).toLowerCase());
  const own = JSON.stringify([recipe, parameters]).toLowerCase();
  return units.find((unit) => {
    if (unit.kind !== "path" && unit.kind !== "url" && unit.kind !== "email") return false;
    const address = unit.text.toLowerCase();
    return !isInValue(unit) && !own.includes(address) && !held.some((value) => address.includes(value));
  })?.text;
}

/** The day after "from" that is in no value, unless "to" follows, as after what another value replaces. */
function startLeftOut(
  { units }: ReadableRequest,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const held = new Set(Object.values(values).map(String));
  return units.find(
    (unit, at) =>
      unit.kind === "date" &&
      /^from$/iu.test(units[at - 1]?.text ?? "") &&
      !/^(?:to|until|till)$/iu.test(units[at + 1]?.text ?? "") &&
      !held.has(String(unit.value)),
  )?.text;
}

/** The values, if each one occurs in the person's words; otherwise the reason why one is refused. */
function checkedValues(
  chosen: RecipeFunction,
  given: Record<string, unknown>,
  stated: readonly StatedValue[],
  state: ChoiceState,
): Record<string, unknown> | string {
  const { request } = state;
  const values = withReadValues(chosen.parameters, given, clockOf(state));
  const texts = personTexts(state).map((text) => ` ${normalizeText(text)} `);
  const isStated = (value: unknown): boolean => {
    if (stated.some((one) => one.value === String(value))) return true;
    if (typeof value === "boolean") return false;
    const plain = normalizeText(String(value));
    return plain !== "" && texts.some((text) => text.includes(` ${plain} `));
  };
  const isDefault = (name: string, value: unknown): boolean =>
    chosen.parameters.some((one) => one.name === name && one.default !== undefined && one.default === value);
  const unstated = Object.entries(values).find(
    ([name, value]) => !isStated(value) && !isDefault(name, value),
  );
  if (unstated !== undefined) return `The value of ${unstated[0]} is not in the person's words.`;
  const unlike = Object.entries(values).find(([name, value]) => isNoAmount(value, name, chosen.examples));
  if (unlike !== undefined) return `The value of ${unlike[0]} is no number, unlike in the examples.`;
  if (!areDistinct(values, request)) return "Two values share words, or one only refers to something.";
  try {
    return parseParameters(chosen.parameters, values);
  } catch (error) {
    if (error instanceof MetahumanError) return error.message;
    throw error;
  }
}

/** True for words without a digit where every example has a number, as in "cushions" for how many there are. */
function isNoAmount(
  value: unknown,
  name: string,
  examples: Pick<RecipeFunction, "examples">["examples"],
): boolean {
  const known = examples.flatMap(({ parameters }) => parameters?.[name] ?? []).map(String);
  return known.length > 0 && known.every((one) => /^\d[\d.,]*$/u.test(one)) && !/\d/u.test(String(value));
}

/** Words that refer to something else and are not a value. */
const REFERS =
  /^(?:it|this|that|these|those|them|him|her|one|(?:a|the|my) (?:task|file|note|list|thing|one|total|sum|result|answer))$/iu;

/**
 * True if each value has words of its own in the request: no value only refers to something, and none lies inside another one.
 * The same value for two parameters is fine.
 */
function areDistinct(values: Record<string, unknown>, request: string): boolean {
  const texts = [
    ...new Set(
      Object.values(values).flatMap((value) => (typeof value === "string" ? [normalizeText(value)] : [])),
    ),
  ];
  if (texts.some((text) => REFERS.test(text))) return false;
  let left = ` ${normalizeText(request)} `;
  for (const text of texts.toSorted((a, b) => b.length - a.length)) {
    const index = left.indexOf(` ${text} `);
    // A value of another form, such as a date, and one from the conversation have no place here.
    if (index === -1 && ` ${normalizeText(request)} `.includes(` ${text} `)) return false;
    if (index !== -1) left = `${left.slice(0, index)} \n ${left.slice(index + text.length + 2)}`;
  }
  return true;
}

const QUESTION = /^\W*(?:so |and |hey |hi |well )*(?:how|what|what['’]?s|which|who|whose|where|when|why)\b/iu;

/**
 * True for a question, if no example of the function is one and no order of its kind follows: the person wants an answer, not the
 * function's work.
 */
const asksAQuestion = (chosen: RecipeFunction, { text, units }: ReadableRequest): boolean =>
  QUESTION.test(text) &&
  endOfQuestion(units, conceptsOf(chosen).kinds) < 0 &&
  ![chosen.title, ...chosen.examples.map((one) => one.prompt)].some((own) => QUESTION.test(own));

/** Words for actions, amounts and manners, which name no subject. */
const COMMON_STEMS = new Set(
  identifyingStems(
    "put save write store make create add append note log record give get take show tell list work keep send set sum total amount " +
      "count number much many spend spent spending cost costs pay paid overall altogether text content step request according " +
      "fs_write fs_append fs_edit could would can want need like new another one some same again now just also then here there " +
      "out inbox txt csv name called named only by to in",
  ),
);

const subjectStems = (text: string): string[] =>
  identifyingStems(text.replaceAll("_", " ")).filter((word) => !COMMON_STEMS.has(word));

/**
 * True if the request is about something else than the function: a text is composed about a word of the first request that this one
 * lacks, as “travel” in “a packing list for travel”, or a value is not of this request, while this one has a word that neither the
 * function nor a value explains, as “food”. Other calls only label what they write, so their fixed words may be said otherwise.
 */
function contradicts(
  { title, summary, steps, parameters, recipe, examples }: RecipeFunction,
  values: Record<string, unknown>,
  stated: readonly StatedValue[],
  { request }: ChoiceState,
): boolean {
  const templates = (recipe?.promptTemplates ?? []).map(withoutSlots);
  const actions = recipe?.actions ?? [];
  const fixed = actions.flatMap(({ args }) => textsIn(args)).map(withoutSlots);
  const composed = actions
    .filter(({ skill }) => skill === COMPOSE_SKILL)
    .flatMap(({ args }) => textsIn(args))
    .map(withoutSlots);
  const descriptions = [title, summary, ...steps, ...parameters.map(({ description }) => description)];
  const known = new Set([...descriptions, ...templates, ...fixed].flatMap(subjectStems));
  // A default is not a value of this request.
  const given = Object.entries(values).filter(
    ([name, value]) => parameters.find((one) => one.name === name)?.default !== value,
  );
  const valueTexts = given.map(([, value]) => String(value));
  const otherForms = stated.filter(({ value }) => valueTexts.includes(value)).map((one) => one.words);
  const inValues = new Set([...valueTexts, ...otherForms].flatMap((text) => identifyingStems(text)));
  const asked = subjectStems(request);
  const unexplained = asked.filter((word) => !known.has(word) && !inValues.has(word));
  if (unexplained.length === 0) return false;
  const recorded = new Set([...templates, ...examples.map(({ prompt: text }) => text)].flatMap(subjectStems));
  const lacks = composed
    .flatMap(subjectStems)
    .some((word) => recorded.has(word) && !asked.includes(word) && !inValues.has(word));
  const words = ` ${normalizeText(request)} `;
  const isFromElsewhere = valueTexts.some(
    (text) =>
      /\p{L}{3}/u.test(text) &&
      !words.includes(` ${normalizeText(text)} `) &&
      !stated.some(({ value, words: form }) => value === text && words.includes(` ${normalizeText(form)} `)),
  );
  return lacks || isFromElsewhere;
}

const withoutSlots = (template: string): string =>
  template.replaceAll(/\$?\{[^}]*\}/gu, " ").replaceAll(/[\w./-]+\.\w{1,5}(?!\w)/gu, " ");

/** The texts of arguments, except paths. */
function textsIn(args: Record<string, unknown>): string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    typeof value !== "string" || PATH_ARGUMENTS.has(name) ? [] : [value],
  );
}

const PATH_ARGUMENTS: ReadonlySet<string> = new Set(["path", "from", "to"]);

/** The beginning of another sentence or order. */
const NEXT_PART = /(?<!\b(?:mrs?|ms|dr|prof|st))[.;!?]\s+|,?\s+(?:and\s+)?(?=(?:also|then|afterwards)\s)/giu;
const JOINING = /^(?:(?:and|also|then|afterwards|please)\s+)+/iu;

/**
 * True if a part of the request asks for a skill that the function does not use: the replay would leave it out. A part that says
 * nothing but what the function is about asks for the function: "put him on the visitor list, todo for a badge".
 */
function asksForMore(
  chosen: RecipeFunction,
  { request, requestedAt, timeZone, skills }: ChoiceState,
): boolean {
  const used = new Set(chosen.recipe?.actions.map(({ skill }) => skill));
  const { nouns, known, kinds } = conceptsOf(chosen);
  const isOwn = (word: string): boolean =>
    nouns.has(familyOf(word)) ||
    known.has(familyOf(word)) ||
    [...kindsOfVerb(word)].some((kind) => kinds.has(kind));
  return request
    .split(NEXT_PART)
    .slice(1)
    .some((part) => {
      const text = part.replace(JOINING, "");
      const words = plainWords(text).filter((word) => !NEUTRAL.has(word) && !FUNCTION_WORDS.has(word));
      if (words.some((word) => nouns.has(familyOf(word))) && words.every(isOwn)) return false;
      const reading = interpretAlone({ request: text, requestedAt, timeZone, skills });
      return reading.kind === "plan" && reading.calls.some(({ skill }) => !used.has(skill));
    });
}

/** Words without punctuation around them: `(4 December)` contains `4 december`. */
function normalizeText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[“”"']/gu, " ")
    .replaceAll(/[,;:!?()]|\.(?=\s|$)/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}
