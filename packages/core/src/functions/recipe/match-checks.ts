import { readDateText } from "../../language/dates/dates.ts";
import { alignRequest } from "../matching/align-request.ts";
import { startsClause } from "../matching/clauses.ts";
import { findContradiction, findRetraction, isOwnNegation } from "../matching/contradictions.ts";
import { conceptsOf, type FunctionConcepts, isReadable } from "../matching/function-concepts.ts";
import { escapeRegExp } from "../../text/words.ts";
import { containsFurtherOrder, endsInFurtherOrder, findFurtherOrder } from "../matching/further-order.ts";
import { isOtherAct } from "../matching/other-act.ts";
import { hasRequiredForms } from "../matching/match-by-rules.ts";
import { isRefused } from "../matching/request-templates.ts";
import type { ReadableRequest } from "../matching/request-units.ts";
import { deniesAct, isNotYet, isOtherEvent, isTurnedAround } from "../matching/ruled-out.ts";
import { isRemovalRequest } from "../matching/taken-away.ts";
import { type AnnotatedRequest, assignRoles } from "../matching/word-roles.ts";
import { RANK_OF_EXACT_TEMPLATE } from "./find-match.ts";
import type { MatchOptions, ParsedRequest, RankedMatch, RecipeFunction } from "./match-types.ts";
import { isShift, mistakenValue } from "./mistaken-values.ts";
import {
  hasUnexplainedWords,
  inValuesOf,
  isIdentifiedByKind,
  isIdiom,
  isOfOtherKind,
  isOwnTemplate,
  losesTime,
  truncatesValue,
} from "./plausible.ts";

// Checks of a match: what each of them reads, and what follows if it finds a reason against the function.
//
// | check | about | what follows |
// | --- | --- | --- |
// | `rejectionOf` | a match by rules | the function is not meant, unless the weights find it likely |
// | `doubtOf` | a match by rules | it is not replayed, and offered only if the weights find it likely |
// | `arePossible` | the values of the likeliest match | it is neither replayed nor offered |
// | `findExclusions` of `matching/ruled-out.ts` | the words outside these values | the same |
// | the features of `matching/meaning-features.ts` | the words outside these values | they count with their weights |
// | `mayAskModel` | the words of the request | a model is not asked about it |

type Values = Readonly<Record<string, unknown>>;

const REASONS = {
  cutName: "A mark at the edge of a value may belong to a name: “_plan.md” is another file than “plan.md”.",
  relativeDay: "The request moves something by a time, and names no day.",
  furtherOrder: "The request asks for a further action with the function's result.",
  impossibleDay: "A value is a day that the calendar does not have.",
  otherAct: "The request removes something or asks for an action that the function does not do.",
  containsMore: "The request contains more than the values.",
  lostTime: "The time of day is not among the values.",
  onlyNewValue: "Only a value identifies the function, and the value is new.",
  otherKind: "A value is of another kind than earlier values.",
  othersArticle: "“A” or “an” precedes another value than in the wordings of the function.",
  mayShow: "The request may ask to show what the function makes.",
};

/** The words of a request in their roles for a function, and which of them are in its values. */
interface MatchedWords {
  annotated: AnnotatedRequest;
  inValue: (at: number) => boolean;
}

function matchedWords(candidate: RecipeFunction, units: ReadableRequest, values: Values): MatchedWords {
  const isInUnits = inValuesOf(units.text, values);
  return {
    annotated: assignRoles(alignRequest(units, conceptsOf(candidate))),
    inValue: (at) => isInUnits(units.units[at]),
  };
}

/** Why a function whose template or plan fits the words is not what the request asks for. */
export function rejectionOf(
  candidate: RecipeFunction,
  { values, rank }: Pick<RankedMatch<RecipeFunction>, "values" | "rank">,
  { tokenized, units, options }: ParsedRequest,
): string | undefined {
  if (truncatesValue(tokenized.request, values)) return REASONS.cutName;
  if (isShift(tokenized.request, values)) return REASONS.relativeDay;
  if (endsInFurtherOrder(tokenized.request, values)) return REASONS.furtherOrder;
  if (holdsImpossibleDay(values, options)) return REASONS.impossibleDay;
  if (units === undefined || rank === RANK_OF_EXACT_TEMPLATE) return undefined;
  return asksForOtherAct(matchedWords(candidate, units, values)) ? REASONS.otherAct : undefined;
}

/** Why a match is not certain although its words are explained. */
export function doubtOf(
  candidate: RecipeFunction,
  { values, rank }: Pick<RankedMatch<RecipeFunction>, "values" | "rank">,
  { tokenized, units, options }: ParsedRequest,
): Pick<RankedMatch<RecipeFunction>, "reason" | "containsMore"> | undefined {
  const isOwn = isOwnTemplate(tokenized.request, candidate);
  if (!isOwn && hasUnexplainedWords(tokenized, values, candidate, options))
    return { reason: REASONS.containsMore, containsMore: true };
  if (units === undefined || rank === RANK_OF_EXACT_TEMPLATE) return undefined;
  const words = matchedWords(candidate, units, values);
  const concepts = conceptsOf(candidate);
  const reason =
    mistakenValue(tokenized.request, values, candidate) ??
    (findFurtherOrder(words.annotated, words.inValue) !== undefined ? REASONS.furtherOrder : undefined) ??
    (losesTime(units, candidate, values) ? REASONS.lostTime : undefined) ??
    contradictionOf(candidate, words) ??
    retractionOf(words) ??
    (isIdentifiedByKind(units, concepts, values) ? REASONS.onlyNewValue : undefined) ??
    (hasOthersArticle(concepts, units.text, values) ? REASONS.othersArticle : undefined) ??
    (isOfOtherKind(words.annotated, values) ? REASONS.otherKind : undefined) ??
    (asksToOpen(words) ? REASONS.mayShow : undefined);
  return reason === undefined ? undefined : { reason };
}

/** "Take in a parrot, Zorro" for "take in {name}, a {kind}": the article shows which value is which. */
function hasOthersArticle({ slots }: FunctionConcepts, request: string, values: Values): boolean {
  const hasArticle = (name: string): boolean =>
    new RegExp(String.raw`(?<!\p{L})an?\s+${escapeRegExp(String(values[name]))}(?![\p{L}\p{N}])`, "iu").test(
      request,
    );
  const texts = slots.filter(
    ({ type, name }) => (type === "text" || type === "name") && values[name] !== undefined,
  );
  const takesArticle = (before: ReadonlySet<string>): boolean => before.has("a") || before.has("an");
  return (
    texts.some(({ name, before }) => takesArticle(before) && !hasArticle(name)) &&
    texts.some(({ name, before }) => !takesArticle(before) && hasArticle(name))
  );
}

/** Whether the values of the likeliest match may be meant, however likely its words make it. */
export function arePossible(
  candidate: RecipeFunction,
  units: ReadableRequest,
  values: Values,
  { tokenized: { request }, options }: ParsedRequest,
): boolean {
  if (
    truncatesValue(request, values) ||
    isShift(request, values) ||
    holdsImpossibleDay(values, options) ||
    endsInFurtherOrder(request, values) ||
    containsFurtherOrder(candidate, values)
  )
    return false;
  const words = matchedWords(candidate, units, values);
  return (
    contradictionOf(candidate, words) === undefined &&
    retractionOf(words) === undefined &&
    (holdsTypedValue(candidate, values) ||
      !isOfOtherKind(alignRequest(units, conceptsOf(candidate)), values, { singleWordsOnly: true })) &&
    !Object.values(values).some((value) => isIdiom(request, value))
  );
}

/** Whether a model may be asked about a recipe that does not match the request. */
export function mayAskModel(candidate: RecipeFunction, units: ReadableRequest): boolean {
  const words = matchedWords(candidate, units, {});
  return (
    isReadable(candidate) &&
    !isRefused(units, candidate) &&
    !asksForOtherAct(words) &&
    hasRequiredForms(units, conceptsOf(candidate)) &&
    !deniesAct(
      words.annotated,
      () => false,
      (at) => isOwnNegation(words.annotated, at, candidate),
    )
  );
}

/** True for "2026-11-31". */
const holdsImpossibleDay = (values: Values, clock: Pick<MatchOptions, "now" | "timeZone">): boolean =>
  Object.values(values).some(
    (value) =>
      typeof value === "string" &&
      /^\d{4}-\d{1,2}-\d{1,2}$/u.test(value) &&
      readDateText(value, clock).kind === "impossible",
  );

/**
 * True if one of the values is known by its form: next to a day or a number in its place, a value of another kind makes a function
 * doubtful and does not exclude it ("reserve the chapel on friday for the tournament").
 */
const holdsTypedValue = (candidate: RecipeFunction, values: Values): boolean =>
  conceptsOf(candidate).slots.some(
    ({ name, type }) => type !== "text" && type !== "name" && values[name] !== undefined,
  );

/** Why the words outside the values contradict the function, such as another value in the place of a fixed one. */
const contradictionOf = (
  candidate: RecipeFunction,
  { annotated, inValue }: MatchedWords,
): string | undefined => findContradiction(annotated, inValue, candidate);

/** Why the words outside the values take something back: "cancel the booking of the hall". */
function retractionOf({ annotated, inValue }: MatchedWords): string | undefined {
  const verb = findRetraction(annotated, inValue);
  return verb === undefined ? undefined : `The request asks to ${verb}.`;
}

/** "Open my page", for a function that makes a page: "open" shows what is there, and makes only "a page" or "a new one". */
const asksToOpen = ({
  annotated: {
    request: { units },
    words,
    concepts,
  },
  inValue,
}: MatchedWords): boolean =>
  !concepts.verbs.has("open") &&
  !concepts.kinds.has("show") &&
  words.some(
    (word, at) =>
      word === "open" &&
      !inValue(at) &&
      startsClause(units, at) &&
      units[at + 1]?.kind === "word" &&
      !/^(?:an?|another|new)$/u.test(words[at + 1] ?? ""),
  );

/** Whether the words outside the values remove, reverse or do something else than the function, or say that it is not done. */
function asksForOtherAct({ annotated, inValue }: MatchedWords): boolean {
  return (
    isOtherAct(annotated, inValue) ||
    isRemovalRequest(annotated, inValue) ||
    annotated.request.units.some(
      (_, at) =>
        !inValue(at) &&
        (isTurnedAround(annotated, at) || isNotYet(annotated, at) || isOtherEvent(annotated, at, inValue)),
    )
  );
}
