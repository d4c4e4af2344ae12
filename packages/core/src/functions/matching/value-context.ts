import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { sensesOf } from "../word-senses/word-senses.ts";
import { DEADLINES, DETERMINERS, NEUTRAL, PREPOSITIONS, PRONOUNS } from "./families.ts";
import { startsClause } from "./clauses.ts";
import type { Slot } from "./function-concepts.ts";
import { isCapital, isOppositeDirection } from "./value-borders.ts";
import type { Unit } from "./request-units.ts";
import type { AnnotatedRequest } from "./word-roles.ts";

/** A verb in the past: "broke", "watered", and not "red", "shed" or "seaweed". */
export const isPast = (word: string): boolean =>
  plainOfPast(word) !== undefined ||
  (word.length > MAX_LETTERS_OF_NO_VERB && /[^e]ed$/u.test(word) && sensesOf(word) === undefined);

const MAX_LETTERS_OF_NO_VERB = 4;

/** The kind of the word before a value, without articles and politeness. */
export function contextBefore(
  slot: Slot,
  { request, words, families, roles, concepts }: AnnotatedRequest,
  from: number,
): string {
  const { units } = request;
  let index = from - 1;
  while (
    units[index]?.kind === "word" &&
    (units[index]?.isHarmless === true || (DETERMINERS.has(words[index] ?? "") && words[index] !== "that"))
  )
    index -= 1;
  const unit = units[index];
  const word = words[index] ?? "";
  const isLabel = (index: number): boolean =>
    units[index]?.kind === "word" && slot.labels.has(families[index] ?? "");
  if (unit === undefined) return slot.isProper && isCapital({ request }, from) ? "start-proper" : "start";
  if (unit.kind === "mark") {
    if (!/^[:=–—-]$/u.test(unit.text)) return slot.before.has(unit.text) ? "own-comma" : "comma";
    if (isLabel(index - 1)) return "label-colon";
    if (roles[index - 1] === "thing" || roles[index - 1] === "near" || roles[index - 1] === "verb")
      return "thing-colon";
    return slot.before.has(unit.text) ? "own-colon" : "colon";
  }
  if (unit.kind !== "word") return "value";
  if (index === from - 1 && isOwner(unit) && !concepts.nouns.has(families[index] ?? "")) return "owner";
  if (isLabel(index) || (word === "one" && isLabel(index - 1))) return "label";
  if (slot.before.has(word)) return "own";
  // "… because of a coolant leak" for "…: {fault}".
  if (isCause(words, index) && slot.before.has(":")) return "own-colon";
  if (isOppositeDirection(word, slot)) return "other-way";
  const isCopula = /^(?:is|are|was|were|be|means|=|as|to)$/u.test(word);
  if (isCopula && (isLabel(index - 1) || isLabel(index - 2))) return "label-copula";
  if (
    concepts.slots.some(
      (other) => other !== slot && (other.before.has(word) || other.labels.has(families[index] ?? "")),
    )
  )
    return "other-own";
  if (word === "that" || /^(?:saying|says|reads|reading)$/u.test(word)) return "that";
  switch (roles[index]) {
    case "thing":
    case "near":
      return "thing";
    case "verb":
    case "same-kind":
    case "light":
      return "verb";
    case "other-verb":
    case "known":
      return "known";
    default:
  }
  if (isCopula && word !== "to" && word !== "as") return "copula";
  // "Declare the drill …": the first word of a clause before an article is a verb, although no list contains it.
  if (roles[index] === "unknown" && index + 1 < from && startsClause(units, index)) return "verb";
  if (/^(?:has|have|had|got|needs|wants)$/u.test(word)) return "has";
  if (isLike(word, slot.before) || isAsLong(word, slot)) return "own-like";
  if (PREPOSITIONS.has(word) || /^(?:to|for|with|as|on)$/u.test(word)) return "preposition";
  if (/^(?:and|then|plus)$/u.test(word)) return "and";
  return PRONOUNS.has(word) ? "pronoun" : NEUTRAL.has(word) ? "neutral" : "unknown";
}

const isCause = (words: readonly string[], index: number): boolean =>
  words[index] === "because" || (words[index] === "of" && words[index - 1] === "because");

/** "Vivaldi's Gloria": the owner precedes it. */
const isOwner = ({ text }: Unit): boolean => /['’]s$/u.test(text);

/** Prepositions with the same meaning for a value: a place, an owner, a recipient. */
const ALIKE: readonly RegExp[] = [
  /^(?:in|at|on|inside|near|from|by|under)$/u,
  /^(?:of|from|by)$/u,
  /^(?:for|to|with)$/u,
];
/** "Till" for "until", "due" for "by". */
const isAsLong = (word: string, { type, before }: Slot): boolean =>
  type === "date" && DEADLINES.has(word) && [...before].some((one) => DEADLINES.has(one));
const isLike = (word: string, own: ReadonlySet<string>): boolean =>
  ALIKE.some((group) => group.test(word) && [...own].some((one) => group.test(one)));

/** The kind of the word after a value. */
export function followOf(
  slot: Slot,
  { request: { units }, words, families, roles, concepts }: AnnotatedRequest,
  to: number,
): string {
  const isEnd = (index: number): boolean =>
    units.slice(index).every((one) => one.isHarmless || (one.kind === "mark" && /^[.,!?)]$/u.test(one.text)));
  const unit = units[to];
  const word = words[to] ?? "";
  if (unit === undefined || isEnd(to)) return "end";
  if (unit.kind === "mark")
    return slot.after.has(unit.text) ? "own-mark" : /^[:=–—-]$/u.test(unit.text) ? "colon" : "mark";
  if (unit.kind !== "word") return "value";
  if (unit.isHarmless) return "harmless";
  if (slot.after.has(word)) return "own";
  const last = units[to - 1];
  const isOwnThing = roles[to] === "thing" || roles[to] === "near";
  if (last?.kind === "word" && isOwner(last) && !isOwnThing)
    return [...slot.before].some((one) => /^(?:by|of|from)$/u.test(one)) ? "owned-as-own" : "owned";
  if (
    concepts.slots.some(
      (other) => other !== slot && (other.before.has(word) || other.labels.has(families[to] ?? "")),
    )
  )
    return "other-own";
  switch (roles[to]) {
    case "thing":
    case "near":
      return "thing";
    case "verb":
    case "same-kind":
    case "light":
    case "other-verb":
      return "verb";
    default:
  }
  if (/^(?:is|are|was|were|be|has|have|had|got|gets|needs|should|must|can|will|would)$/u.test(word))
    return "copula";
  if (concepts.slots.some((other) => other !== slot && isLike(word, other.before))) return "other-like";
  if (PREPOSITIONS.has(word) || /^(?:to|for|with|as|on)$/u.test(word)) return "preposition";
  if (/^(?:and|then|plus|but|so)$/u.test(word)) return "and";
  if (isPast(word)) return "past";
  if (DETERMINERS.has(word)) return "article";
  return PRONOUNS.has(word) ? "pronoun" : NEUTRAL.has(word) ? "neutral" : "unknown";
}
