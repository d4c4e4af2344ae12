import {
  BLOCKING_WORDS,
  DEADLINES,
  DESCRIBING,
  DETERMINERS,
  HESITATION,
  kindsOfVerb,
  NEUTRAL,
  PREPOSITIONS,
  type VerbKind,
} from "./families.ts";
import type { Unit } from "./request-units.ts";
import type { FilledSlots } from "./typed-candidates.ts";
import type { AlignedRequest } from "./value-borders.ts";

/** Kinds of verbs that create something, or set a value. */
export const CREATING: readonly VerbKind[] = ["create", "record", "rename", "set"];

/** True if an order may start here: at the start, after politeness, a mark, "and", "then" or "so". */
export function startsClause(units: readonly Unit[], index: number): boolean {
  const before = units[index - 1];
  if (before !== undefined && HESITATION.test(before.text)) return startsClause(units, index - 1);
  if (before === undefined || before.isHarmless) return true;
  if (before.kind === "mark") return /^[.,;:!?()–—-]$/u.test(before.text);
  // "On friday book …": the day precedes the order.
  if (before.kind === "date")
    return startsClause(units, introducesDay(units[index - 2]) ? index - 2 : index - 1);
  if (before.text === "to") return units[index - 2] === undefined || units[index - 2]?.isHarmless === true;
  return before.kind === "word" && /^(?:and|then|so|please|plus|&)$/u.test(before.text);
}

/** "Extend the …": the first word is a verb although no list contains it, because an article follows it. */
export function isUnknownOrder(
  { request: { units }, words, families, concepts }: AlignedRequest,
  index: number,
): boolean {
  const [unit, next, word] = [units[index], units[index + 1], words[index] ?? ""];
  return (
    unit?.kind === "word" &&
    !unit.isProper &&
    next?.kind === "word" &&
    /^(?:the|an?|my|our|your|this|that|it|them|me|us)$/u.test(next.text) &&
    (isFirstWord(units, index) || /^(?:and|then)$/u.test(units[index - 1]?.text ?? "")) &&
    kindsOfVerb(word).size === 0 &&
    !concepts.verbs.has(word) &&
    !concepts.nouns.has(families[index] ?? "") &&
    !concepts.known.has(families[index] ?? "") &&
    // "Found a …", "noticed the …": a report of what happened.
    !/(?:ed|ly)$|^(?:found|saw|met|got|new|another)$/u.test(word) &&
    !NEUTRAL.has(word) &&
    !DETERMINERS.has(word) &&
    !PREPOSITIONS.has(word) &&
    !DEADLINES.has(word) &&
    !BLOCKING_WORDS.has(word)
  );
}

/** "Get me a lesson …" requests a new one, like a function that creates one. */
export function isAskedForOne({ words, concepts }: AlignedRequest, index: number): boolean {
  const as = words.indexOf("as", index);
  // "Mark the invoice as paid" means the same as "the invoice is paid".
  if (as > index && concepts.literals.has(words[as + 1] ?? "")) return true;
  const next = /^(?:me|us)$/u.test(words[index + 1] ?? "") ? index + 2 : index + 1;
  return (
    /^(?:get|give|have|take)$/u.test(words[index] ?? "") &&
    /^(?:an?|another|new)$/u.test(words[next] ?? "") &&
    CREATING.some((kind) => concepts.kinds.has(kind))
  );
}

/** "… and the way back": an unknown word after "and", before any word of the function. */
export function isOneThingMore(
  { request: { units }, words, families, concepts }: AlignedRequest,
  index: number,
  inValue: (index: number) => boolean,
): boolean {
  for (let position = index - 1; position > 0; position -= 1) {
    const [unit, word] = [units[position], words[position] ?? ""];
    if (unit === undefined || unit.kind !== "word" || inValue(position)) return false;
    if (/^(?:and|plus)$/u.test(word))
      return inValue(position - 1) || concepts.literals.has(words[position - 1] ?? "");
    if (concepts.nouns.has(families[position] ?? "") || kindsOfVerb(word).size > 0) return false;
    if (!NEUTRAL.has(word) && !DETERMINERS.has(word) && !DESCRIBING.has(word)) return false;
  }
  return false;
}

const isFirstWord = (units: readonly Unit[], index: number): boolean =>
  units.slice(0, index).every((unit) => unit.isHarmless || unit.kind === "mark");

/** The end of a question before an order: "how is the dollar doing? look up its rate". -1 without one. */
export function endOfQuestion(units: readonly Unit[], kinds: ReadonlySet<VerbKind>): number {
  const end = units.findIndex(({ kind, text }) => kind === "mark" && text === "?");
  const order = units.slice(end + 1).find(({ kind, isHarmless }) => kind === "word" && !isHarmless);
  return order !== undefined && [...kindsOfVerb(order.text)].some((kind) => kinds.has(kind)) ? end : -1;
}

const introducesDay = (unit: Unit | undefined): boolean =>
  unit?.kind === "word" && (PREPOSITIONS.has(unit.text) || DEADLINES.has(unit.text) || unit.text === "on");

/** "Note called x", "list: x": a noun, not an order. */
export const isLabel = (next: Unit | undefined): boolean =>
  next !== undefined &&
  (next.kind === "mark"
    ? /^[:–-]$/u.test(next.text)
    : next.kind === "word" && /^(?:called|named|titled|entry)$/u.test(next.text));

/**
 * True if the part of the request between two marks or joining words contains a verb, noun or value of the function.
 */
export function isAsking(
  { request: { units }, concepts, words, families }: AlignedRequest,
  filled: FilledSlots,
  index: number,
): boolean {
  const isEdge = (index: number): boolean => {
    const unit = units[index];
    return unit?.kind === "mark" && /^[,.;!?:]$/u.test(unit.text);
  };
  const isOwn = (index: number): boolean =>
    concepts.nouns.has(families[index] ?? "") ||
    concepts.verbs.has(words[index] ?? "") ||
    (startsClause(units, index) &&
      [...kindsOfVerb(words[index] ?? "")].some((kind) => concepts.kinds.has(kind))) ||
    filled.some(({ candidate: { from, to } }) => from <= index && index < to);
  for (const step of [-1, 1])
    for (
      let position = index + step;
      position >= 0 && position < units.length && !isEdge(position);
      position += step
    )
      if (isOwn(position)) return true;
  return false;
}

const PAST =
  /^(?:went|broke|came|got|took|gave|sent|bought|sold|lost|won|ran|fell|failed|worked|arrived|ended|started|finished|happened|lasted|turned|moved|changed|expired|passed|became|began)$/u;

/** Why an unknown word means another task; undefined if it may be mentioned in passing. */
export function otherMeaning(
  { request: { units }, concepts, words, families }: AlignedRequest,
  filled: FilledSlots,
  { at, inValue }: { at: number; inValue: (index: number) => boolean },
): string | undefined {
  const word = words[at] ?? "";
  const text = units[at]?.text ?? "";
  const before = units[at - 1];
  if (
    !concepts.isRecord &&
    PAST.test(word) &&
    before?.kind !== "mark" &&
    !DETERMINERS.has(words[at - 1] ?? "")
  )
    return `“${text}” tells what has happened.`;
  if (
    !DESCRIBING.has(word) &&
    before?.kind === "word" &&
    DETERMINERS.has(before.text) &&
    concepts.nouns.has(families[at + 1] ?? "") &&
    !inValue(at + 1)
  )
    return `“${text}” names another thing.`;
  // "Blood sugar" for a function about blood pressure.
  const isHalfNamed =
    units[at]?.kind === "word" &&
    concepts.nouns.has(families[at - 1] ?? "") &&
    !inValue(at - 1) &&
    [...concepts.nouns].some((noun) => !families.includes(noun));
  const after = units[at + 1];
  const isPreposition = PREPOSITIONS.has(after?.text ?? "") || /^(?:on|to|for)$/u.test(after?.text ?? "");
  // "A letter coming from …" describes the letter.
  const isHead = after?.kind !== "word" || (isPreposition && !/(?:ing|ed)$/u.test(word));
  if (isHalfNamed && before?.kind === "word" && isHead) return `“${text}” names another thing.`;
  if (DESCRIBING.has(word)) return undefined;
  let index = at - 1;
  while (
    units[index]?.kind === "word" &&
    (DETERMINERS.has(words[index] ?? "") ||
      DESCRIBING.has(words[index] ?? "") ||
      /^(?:me|us|new)$/u.test(words[index] ?? ""))
  )
    index -= 1;
  const leading = units[index];
  if (leading?.kind !== "word" || leading.isHarmless || inValue(index)) return undefined;
  const leadingWord = words[index] ?? "";
  if (
    PREPOSITIONS.has(leadingWord) ||
    filled.some(({ slot }) => slot.before.has(leadingWord) && !concepts.nouns.has(families[index] ?? ""))
  )
    return `The request also names “${text}”.`;
  const isVerb =
    startsClause(units, index) && (kindsOfVerb(leadingWord).size > 0 || concepts.verbs.has(leadingWord));
  return isVerb && !word.endsWith("ly") ? `The request is about “${text}”.` : undefined;
}
