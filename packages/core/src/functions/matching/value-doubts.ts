import {
  BLOCKING_WORDS,
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  LIGHT_NOUNS,
  NEUTRAL,
  plainForm,
  PREPOSITIONS,
  PRONOUNS,
} from "./families.ts";
import { sensesOf } from "../word-senses/word-senses.ts";
import type { Slot } from "./function-concepts.ts";
import { type AlignedRequest, isCapital, isFreeNoun, isIntroduced, isOwn } from "./value-borders.ts";

const PREPOSITION_OR_TO = /^(?:to|for|with|from|of|by|at|in|on)$/u;

/** A count or an amount, which is not part of a name. */
const COUNTING =
  /^(?:less|more|fewer|two|three|four|five|six|seven|eight|nine|ten|twelve|all|every|each|both|several|half)$/u;

/** The evidence against words as an unquoted text: negations, an order, another slot's value. */
export function innerProblem(
  slot: Slot,
  aligned: AlignedRequest,
  { from, to, left }: { from: number; to: number; left: number },
): "impossible" | "turns" | "limits" | undefined {
  const {
    request: { units },
    words,
    families,
    concepts,
  } = aligned;
  let problem: "turns" | "limits" | undefined;
  // A preposition introduces a name or a phrase; a colon or "saying" any text.
  const preceding = words[from - 1] ?? "";
  const mayBeAnyText =
    left >= 3 && !(PREPOSITIONS.has(preceding) || /^(?:to|for|as|on|with)$/u.test(preceding));
  for (let index = from; index < to; index += 1) {
    const unit = units[index];
    const word = words[index] ?? "";
    if (unit === undefined) break;
    if (index > from && isExceptionAt(aligned, index)) return "impossible";
    // Words that introduce or follow a value are its borders.
    if (index > from && unit.kind !== "quoted" && slot.before.has(word) && /^[:=]$/u.test(word))
      return "impossible";
    const repeatsPreposition = index > from && index + 1 < to && slot.before.has(word) && left < 3;
    if (repeatsPreposition && unit.kind === "word" && !DETERMINERS.has(word)) return "impossible";
    // "Emma to Marta and Dune to Piet": a second value of the same kind.
    const isSecond = slot.before.has(word) && units.slice(from, index).some(({ text }) => text === "and");
    if (isSecond && PREPOSITION_OR_TO.test(word) && !isIntroduced(aligned, from)) return "impossible";
    // "…, it means screw", "…, change it to glue": another statement.
    const isNewClause =
      (word === "," &&
        (PRONOUNS.has(words[index + 1] ?? "") ||
          [1, 2].some((step) => concepts.nouns.has(families[index + step] ?? "")))) ||
      (/^(?:,|and)$/u.test(word) &&
        kindsOfVerb(words[index + 1] ?? "").size > 0 &&
        PRONOUNS.has(words[index + 2] ?? ""));
    if (slot.isProper && index > from && index + 1 < to && word === "to") return "impossible";
    if (isNewClause && index + 1 < to && !isIntroduced(aligned, from)) return "impossible";
    if (index === from && !isIntroduced(aligned, from) && COUNTING.test(word) && !slot.hasDigit)
      return "impossible";
    if (index > from && slot.after.has(word) && !/^[,.]$/u.test(word)) return "impossible";
    if (!mayBeAnyText && index > from && word === ":") return "impossible";
    const joins = index > from && /^(?:and|then|plus|&|[,;.!?])$/u.test(word);
    const next = units[index + 1];
    if (joins && next !== undefined && index + 1 < to) {
      if (
        next.kind !== "word" &&
        next.kind !== "mark" &&
        concepts.slots.some((other) => other !== slot && other.type === next.kind)
      )
        return "impossible";
      const kinds = kindsOfVerb(words[index + 1] ?? "");
      const isOrder = [...kinds].some((kind) => concepts.kinds.has(kind));
      if (!mayBeAnyText && (isOrder || (kinds.size > 0 && word === ","))) return "impossible";
      if (kinds.size > 0) problem ??= "turns";
      if (/^[;.!?]$/u.test(word)) {
        if (!mayBeAnyText) return "impossible";
        problem ??= "turns";
      }
    }
    // "Name is Remy, mail …": another parameter is named.
    const isLabelled = ({ type, labels }: Slot): boolean =>
      labels.has(families[index] ?? "") &&
      !(index > from && index === to - 1 && isFreeNoun(aligned, index, type)) &&
      (!mayBeAnyText || [index + 1, index + 2].some((near) => units[near]?.kind === type));
    if (concepts.slots.some((other) => other !== slot && isLabelled(other))) return "impossible";
    if (unit.kind === "quoted" || (!mayBeAnyText && /^(?:path|url|email)$/u.test(unit.kind)))
      return "impossible";
    if (unit.kind === "word" && BLOCKING_WORDS.has(word) && !unit.isHarmless) {
      problem ??= "turns";
      if (index > from && isConditionAt(slot, aligned, index)) problem = "limits";
      // "Everything" and "nothing" alone are amounts, and name nothing.
      if (to - from === 1 && !/^[:=]$/u.test(preceding)) return "impossible";
      if (
        !mayBeAnyText &&
        (index > from + 1 ||
          /^(?:whether|if|when|unless|until|all|every|each|both|everything|everyone)$/u.test(word))
      )
        return "impossible";
    }
  }
  return problem;
}

/**
 * True if words for a parameter that takes identifiers hold more than one: "1.9.2 write", "number 0063", "the scan 0063". A verb,
 * an article, a preposition, and a word for what the value is are not part of it.
 */
export function isMoreThanIdentifier(
  slot: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean {
  const {
    request: { units },
    words,
    concepts,
  } = aligned;
  if (!slot.isOneWord || to - from < 2) return false;
  return units.slice(from, to).some(({ kind }, place) => {
    const word = words[from + place] ?? "";
    return (
      kind === "word" &&
      (DETERMINERS.has(word) ||
        PREPOSITIONS.has(word) ||
        NEUTRAL.has(word) ||
        LIGHT_NOUNS.has(word) ||
        kindsOfVerb(word).size > 0 ||
        concepts.literals.has(word) ||
        isOwn(aligned, from + place))
    );
  });
}

/**
 * True for words that say which one is meant without its name: "the nearest due date", "whatever the system says", "the one that …".
 * Only words that name a value are a value.
 */
export function isReferring({ values }: Slot, aligned: AlignedRequest, from: number): boolean {
  const { words } = aligned;
  if (/^(?:whatever|whichever|whoever)$/u.test(words[from] ?? "")) return true;
  const picks = (at: number): boolean => {
    const next = words[at + 1] ?? "";
    return (
      /^(?:the|my|our|that|this)$/u.test(words[at] ?? "") &&
      !isCapital(aligned, at + 1) &&
      (isSuperlative(next) || (next === "one" && at === from))
    );
  };
  if (!picks(from - 2) && !picks(from - 1) && !picks(from)) return false;
  const isSentence = values.some((value) => value.trim().split(/\s+/u).length > MAX_WORDS_OF_NAME);
  return !isSentence && !isIntroduced(aligned, from);
}

/** The maximum number of words from the start of a text to a place that would cut it: "send the invoice to Ada". */
const MAX_WORDS_FROM_START = 5;

/** True if a text that starts here lacks the word that all earlier ones start with, and that stands shortly before: "Ada" of "send it to Ada". */
export function followsOwnStart(
  { start }: Slot,
  { request: { units }, words }: AlignedRequest,
  from: number,
): boolean {
  if (start === undefined) return false;
  for (let at = from - 1; at >= Math.max(0, from - MAX_WORDS_FROM_START); at -= 1) {
    if (units[at]?.kind !== "word") return false;
    if (plainForm(words[at] ?? "") === start) return true;
  }
  return false;
}

/** The names of things rarely have more words. */
const MAX_WORDS_OF_NAME = 3;

/** "… only if it is new", "…, unless it rains": a condition that may be one of the request, where no earlier text has one. */
const isConditionAt = ({ values }: Slot, { words }: AlignedRequest, at: number): boolean =>
  /^(?:if|unless|except|provided|instead)$/u.test(words[at] ?? "") &&
  !values.some((value) => CONDITION.test(value));
const CONDITION = /\b(?:if|unless|except|provided|instead)\b/iu;

/** "Nearest", "last": picks one of several. */
const isSuperlative = (word: string): boolean =>
  /^(?:latest|last|next|previous|most|least|worst|same)$/u.test(word) ||
  (/[a-z]{3}est$/u.test(word) && sensesOf(word) === undefined);

/** "…, but in docs and not in notes", "… but don't add": an exception to the request, and no part of a text. */
export function isExceptionAt({ words }: Pick<AlignedRequest, "words">, at: number): boolean {
  if (words[at] !== "but") return false;
  const next = words[at + 1] ?? "";
  if (/^(?:not|no|never|do|does|don't|without|only)$/u.test(next)) return true;
  const rest = words.slice(at + 2);
  const isOtherPlace =
    rest.length <= MAX_WORDS_OF_PLACE || rest.some((word) => /^(?:not|instead)$/u.test(word));
  return /^(?:in|into|to|under|on|at)$/u.test(next) && rest.length > 0 && isOtherPlace;
}

/** "The attic room": a place at the end of a request rarely has more words. */
const MAX_WORDS_OF_PLACE = 3;

/** "Lena Fischer moved in": more than the proper name that the function takes. */
export const isNameAndMore = (
  { isProper }: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean =>
  isProper &&
  isCapital(aligned, from) &&
  aligned.request.units[to - 1]?.kind === "word" &&
  // "Ruth's house" is one name.
  !/['’]s$/u.test(aligned.request.units[to - 2]?.text ?? "") &&
  !isCapital(aligned, to - 1);

/** "Hartmann and the way back": words joined to a proper name by "and" are not part of it. */
export const isJoined = (aligned: AlignedRequest, { from, to }: { from: number; to: number }): boolean =>
  isCapital(aligned, from) &&
  aligned.request.units[to - 2]?.text === "and" &&
  aligned.request.units[to - 1]?.kind === "word" &&
  !isCapital(aligned, to - 1);

/** "The word anchor", "destination Rome": a word names the parameter, and the value follows it. */
export const hasLabel = (
  { labels }: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean =>
  aligned.families
    .slice(from, isIntroduced(aligned, from) ? Math.min(from + 1, to - 1) : to - 1)
    .some((family) => labels.has(family));

/** "The French word": a description of the noun is not a value, unless the templates have it: "the report task". */
export function describesThing(
  { after, before }: Slot,
  { request: { units }, words, families, concepts }: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean {
  const hasDeterminer = [from, from - 1].some((at) => /^(?:the|an?|my|our)$/u.test(words[at] ?? ""));
  const isNaming = after.has(words[to] ?? "") || [...before].some((word) => familyOf(word) === families[to]);
  const isOwner = /['’]s$/u.test(units[to - 1]?.text ?? "");
  return hasDeterminer && !isOwner && !isNaming && concepts.nouns.has(families[to] ?? "");
}

/**
 * Exactly one of two names is a proper name: "a quote for Petersen, a wardrobe". Requests without capitals prove
 * nothing.
 */
export function isOtherCase(
  slot: Slot,
  aligned: AlignedRequest,
  { from, to }: { from: number; to: number },
): boolean {
  const { units } = aligned.request;
  if (units[from]?.kind !== "word" || !units.some((_, index) => index > 0 && isCapital(aligned, index)))
    return false;
  const first = DETERMINERS.has(aligned.words[from] ?? "") ? from + 1 : from;
  // "Aunt Irena" may be written in lower case.
  const isTitled = first === from && isCapital(aligned, from + 1) && from + 1 < to;
  if (slot.isProper) return !isCapital(aligned, first) && !isTitled;
  const isOthers = aligned.concepts.slots.some((other) => other !== slot && other.isProper);
  return isOthers && !slot.isCapital && isCapital(aligned, first);
}
