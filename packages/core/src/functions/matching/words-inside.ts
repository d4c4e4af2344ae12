import { BLOCKING_WORDS, DETERMINERS, kindsOfVerb, NEUTRAL, PREPOSITIONS, PRONOUNS } from "./families.ts";
import type { Slot } from "./function-concepts.ts";
import { isNumberWord, type Unit } from "./request-units.ts";
import { sensesOf } from "../word-senses/word-senses.ts";
import { isSimplePast } from "../../language/tokens/irregular-verbs.ts";
import { isPast } from "./value-context.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** The features of a slot for any position of its value. */
export interface SlotTraits {
  /** Words of the function's example values. */
  typical: number;
  takesDate: boolean;
  takesNumber: boolean;
  /** Words that introduce the values of other slots. */
  otherSlotsBefore: ReadonlySet<string>;
  /** Capitals beyond the first word. */
  holdsCapitals: boolean;
  /** An earlier value holds a path or an address. */
  holdsTyped: boolean;
  /** The family of the last word of all earlier values: "room" of "blue room". */
  end: string | undefined;
  /** An earlier value ends with a verb: "the hem tore". */
  endsInVerb: boolean;
  /** The evidence of each word within a text, by its position. */
  inside: string[];
}

/**
 * "Cracked lens", and not "watered the fern" or "picked up a parcel": the noun follows the past form that describes it.
 */
const isParticiple = ({ request: { units }, words, roles }: AnnotatedRequest, index: number): boolean =>
  units[index + 1]?.kind === "word" &&
  roles[index + 1] === "unknown" &&
  !PRONOUNS.has(words[index - 1] ?? "");

/**
 * "Chess group" for a group: the name of the parameter ends the value if the templates do not have it beside the value.
 */
export const isFreeLabel = (
  slot: Slot,
  { families, words, concepts }: AnnotatedRequest,
  index: number,
): boolean => slot.labels.has(families[index] ?? "") && !concepts.literals.has(words[index] ?? "");

/** The sign of "Holm & Sons": a part of the name, and no mark between two. */
const joinsName = (units: readonly Unit[], index: number): boolean =>
  units[index]?.text === "&" && units[index - 1]?.isCapital === true && units[index + 1]?.isCapital === true;

/** True between two parts of one word or name, where no value begins or ends: "do|n't", "Holm| & Sons". */
export function isWithinName(units: readonly Unit[], at: number): boolean {
  const [before, next] = [units[at - 1], units[at]];
  if (before?.kind === "word" && next?.kind === "word") return before.end === next.start;
  return joinsName(units, at - 1) || joinsName(units, at);
}

/** The position of a word within a text. */
export interface Position {
  isFirst: boolean;
  isLast: boolean;
  /** True in a text that may be long. */
  isLong: boolean;
  /** True in a text after a colon or "that". */
  isIntroduced: boolean;
}

/** The evidence of one word of a text for or against it. */
export function wordInside(
  slot: Slot,
  annotated: AnnotatedRequest,
  index: number,
  position: Position,
  traits: SlotTraits,
): string {
  const {
    request: { units },
    words,
    roles,
    families,
  } = annotated;
  const { isFirst, isLast, isLong, isIntroduced } = position;
  const [unit, word, role] = [units[index], words[index] ?? "", roles[index]];
  if (unit === undefined) return "has-content";
  if (isLast && !isFirst && traits.end !== undefined && families[index] === traits.end) return "ends-as-own";
  if (joinsName(units, index)) return "joint-of-name";
  if (unit.kind === "mark") return /^[:=]$/u.test(unit.text) ? "has-colon" : "has-mark";
  if (unit.kind === "date") return traits.takesDate ? "has-own-date" : "has-date";
  if (unit.kind === "number" || unit.kind === "time" || isNumberWord(unit))
    return slot.hasDigit ? "has-digit" : traits.takesNumber ? "has-own-number" : "has-number";
  if (unit.kind !== "word") return "has-typed";
  if (role === "thing" || role === "verb" || role === "near") {
    if (isFirst && isLast) return "is-thing";
    return isLong ? "long:thing" : isFirst ? "begins-with-thing" : "has-thing";
  }
  if (!isFirst && traits.otherSlotsBefore.has(word)) return "has-other-lead";
  if (role === "label" && !isFirst && isLast && isFreeLabel(slot, annotated, index)) return "ends-with-label";
  if (role === "label") return slot.labels.has(families[index] ?? "") ? "has-label" : "has-other-label";
  if (role === "blocking") return isLong ? "long:blocking" : "has-blocking";
  if (unit.isHarmless) return isIntroduced ? "long:harmless" : isLast ? "ends-with-harmless" : "has-harmless";
  if (isFirst && PRONOUNS.has(word)) return "begins-with-pronoun";
  if (PRONOUNS.has(word)) return isLong ? "long:pronoun" : "has-pronoun";
  if (role === "same-kind" || role === "light")
    return isLong ? "long:verb" : isFirst ? "begins-with-verb" : "has-verb";
  if (role === "other-light" || kindsOfVerb(word).size > 0 || role === "other-verb")
    return isLong ? "long:other-verb" : "has-other-verb";
  if (/^(?:and|or)$/u.test(word)) return isLong ? "long:and" : "has-and";
  if (PREPOSITIONS.has(word) || /^(?:to|for|on|as|with)$/u.test(word))
    return isFirst ? "begins-with-preposition" : isLong ? "long:preposition" : "has-preposition";
  if (DETERMINERS.has(word)) return isFirst ? "begins-with-article" : isLong ? "long:article" : "has-article";
  if (NEUTRAL.has(word) || BLOCKING_WORDS.has(word)) return isLong ? "long:neutral" : "has-neutral";
  if (!isFirst && slot.after.has(word)) return "has-own-follow";
  if (isFirst && isPast(word))
    return !isLast && isParticiple(annotated, index) ? "has-content" : "begins-with-past";
  if (isLast && !isFirst && !isLong && !traits.endsInVerb && isFiniteVerb(word, unit))
    return "ends-with-verb";
  return "has-content";
}

/** "Rang", "loses": a verb that tells what the words before it do, and no noun. */
export const isFiniteVerb = (word: string, { isCapital }: Pick<Unit, "isCapital">): boolean =>
  !isCapital && (isSimplePast(word) || (THIRD_PERSON.test(word) && sensesOf(word) === undefined));
const THIRD_PERSON = /^\p{Ll}{2,}[^s'’]s$/u;
