import { numberOfWord } from "../matching/number-words.ts";
import { kindsOfVerb, PREPOSITIONS } from "../matching/families.ts";
import { conceptsOf } from "../matching/function-concepts.ts";
import { plainWords } from "../../text/words.ts";
import type { RecipeFunction } from "./match-types.ts";

// Values in the right position of a request that nevertheless mean something else.

const SHIFT =
  /(?<count>\p{L}+|\d+)\s+(?:hours?|days?|weeks?|months?|years?)\s+(?:forwards?|backwards?|back|ahead|further|earlier)\b/giu;

/** "Move it two days forward": a shift from a day that the request does not name, and no day. */
export const isShift = (request: string, values: Readonly<Record<string, unknown>>): boolean =>
  Object.values(values).some((value) => typeof value === "string" && /^\d{4}-\d\d-\d\d/u.test(value)) &&
  [...request.matchAll(SHIFT)].some(({ groups }) => {
    const count = groups?.["count"]?.toLowerCase() ?? "";
    return /^\d/u.test(count) || /^(?:an?|few|couple)$/u.test(count) || numberOfWord(count) !== undefined;
  });

/**
 * Why values in a request may be mistaken, so that the function is offered and not replayed: a text with the order of the
 * function in front ("check off stove"), a text without its last word ("lid loose and ants inside"), a description where the earlier
 * values are names ("the staff meeting" for "B1 evening"), an adverb at the end of a value, and a noun that only the function's own
 * preposition gives its meaning ("a call" for "on call"). Undefined if none may be.
 */
export function mistakenValue(
  request: string,
  values: Readonly<Record<string, unknown>>,
  candidate: RecipeFunction,
): string | undefined {
  const { slots, kinds } = conceptsOf(candidate);
  for (const { name, type, isProper, values: earlier } of slots) {
    const value = values[name];
    if (typeof value !== "string" || (type !== "text" && type !== "name")) continue;
    // "Move-out-report.docx" is one word.
    const [first = "", second = ""] = value.toLowerCase().split(/\s+/u);
    const isOrder = [...kindsOfVerb(first)].some((kind) => kinds.has(kind)) && PARTICLE.test(second);
    if (isOrder && !earlier.some((one) => plainWords(one)[0] === first)) return ORDER_IN_VALUE;
    if (DESCRIBED.test(value) && earlier.length > 0 && earlier.every(isName) && /\p{Lu}/u.test(request))
      return DESCRIBED_VALUE;
    const isThing = isProper || LED_BY_ARTICLE.test(value);
    if (isThing && ENDS_IN_DAY.test(value) && !earlier.some((one) => ENDS_IN_DAY.test(one)))
      return ADVERB_IN_VALUE;
    if (ENDS_IN_ADVERB.test(value) && !earlier.some((one) => ENDS_IN_ADVERB.test(one)))
      return ADVERB_IN_VALUE;
    const at = request.toLowerCase().lastIndexOf(value.toLowerCase());
    const rest = at < 0 ? [] : plainWords(request.slice(at + value.length));
    const [last = "", ...others] = rest;
    if (others.length === 0 && PREPOSITIONS.has(last) && !PARTICLE.test(last)) return CUT_END;
  }
  const words = plainWords(request);
  const isOtherSense = (candidate.recipe?.promptTemplates ?? []).some((template) =>
    [...template.matchAll(BARE_NOUN)].some(({ groups }) => {
      const noun = groups?.["noun"]?.toLowerCase() ?? "";
      const at = words.indexOf(noun);
      return at > 0 && /^(?:an?|another|one)$/u.test(words[at - 1] ?? "");
    }),
  );
  return isOtherSense ? OTHER_SENSE : undefined;
}

const PARTICLE = /^(?:off|out|up|down|in|on|over|back|away)$/u;
/** "On call", "in stock", "at home" */
const BARE_NOUN = /\b(?:on|in|at|off|under)\s+(?<noun>\p{Ll}{3,})\b/gu;
/** "The staff meeting", where the earlier values are names: "B1 evening". */
const DESCRIBED = /^(?:the|an?|my|our)(?:\s+\p{Ll}+)+$/u;
const isName = (value: string): boolean => /\p{Lu}|\d/u.test(value);
const DESCRIBED_VALUE = "A value is described where the earlier ones are names.";
/** "The Riesling still" of "the Riesling still needs pruning". */
const ENDS_IN_ADVERB = /\s(?:still|yet|already|now|again)$/iu;
/** "The mill pond yesterday" is a thing and a day; "call the vet tomorrow" is a text. */
const LED_BY_ARTICLE = /^(?:the|an?|my|our)\s/iu;
/** "Lotta yesterday" of "I weighed Lotta yesterday: 190 kg". */
const ENDS_IN_DAY = /\s(?:today|yesterday|tomorrow|tonight)$/iu;
const ADVERB_IN_VALUE = "A value ends in an adverb that belongs to the rest of the request.";
const ORDER_IN_VALUE = "A value begins with the order of the function.";
const CUT_END = "The request goes on behind a value.";
const OTHER_SENSE = "A noun of the function stands with another word before it.";
