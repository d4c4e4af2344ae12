import {
  DESCRIBING,
  DETERMINERS,
  familyOf,
  GENERIC_THINGS,
  HESITATION,
  kindsOfVerb,
  NEUTRAL,
  plainOf,
  DEADLINES,
  PLACES,
  PREPOSITIONS,
  PRONOUNS,
  BLOCKING_WORDS,
} from "./families.ts";
import type { FunctionConcepts, Slot } from "./function-concepts.ts";
import { textOfUnits, type ReadableRequest, type Unit } from "./request-units.ts";

/** A request aligned with one function: its words in this function's terms, without typing errors. */
export interface AlignedRequest {
  request: ReadableRequest;
  concepts: FunctionConcepts;
  /** The corrected word of each unit. */
  words: readonly string[];
  /** The family of that word for each unit. */
  families: readonly string[];
}

/** A colon or a word such as "saying" introduces any text. */
export const isIntroduced = ({ words }: AlignedRequest, from: number): boolean =>
  /^[:=]$/u.test(words[from - 1] ?? "") || /^(?:saying|says|reads|reading)$/u.test(words[from - 1] ?? "");

/** True if neither end is a word that may belong to the request. */
export function hasPlainEdges(
  { request: { units }, words }: AlignedRequest,
  from: number,
  to: number,
): boolean {
  return [from, to - 1].every((at) => {
    const unit = units[at];
    if (unit?.kind !== "word") return true;
    const word = words[at] ?? "";
    return (
      !unit.isHarmless && (!NEUTRAL.has(word) || (at === from && DETERMINERS.has(word) && to - from > 1))
    );
  });
}

/**
 * True if the request names the noun that the templates have before the value ("the film {title} to my watchlist"), or
 * another noun of the function ("put Ida on my watchlist").
 */
export function nounNamed(
  { before }: Slot,
  { concepts: { nouns }, families }: AlignedRequest,
): "same" | "other" | undefined {
  const things = [...before].map(familyOf).filter((family) => nouns.has(family));
  if (things.length === 0 || things.some((family) => families.includes(family))) return "same";
  return families.some((family) => nouns.has(family) && !GENERIC_THINGS.has(family)) ? "other" : undefined;
}

export function isOwn({ concepts: { nouns, slots }, families }: AlignedRequest, index: number): boolean {
  const family = families[index] ?? "";
  return nouns.has(family) || slots.some(({ labels }) => labels.has(family));
}

/** "10" of "10 km": a bare number is not a name before a unit, or for a function that takes numbers. */
export function isMeasured(
  { request: { units }, concepts, words }: AlignedRequest,
  from: number,
  to: number,
): boolean {
  if (to - from !== 1 || units[from]?.kind !== "number") return false;
  return concepts.literals.has(words[to] ?? "") || concepts.slots.some(({ type }) => type === "number");
}

/** Words with a joint meaning, such as "in mind", are not a value. The words between "take" and "off" may be one. */
export function isPhrase(
  { request: { phrases, units }, words }: AlignedRequest,
  from: number,
  to: number,
): boolean {
  if (units[from]?.kind === "quoted") return false;
  return phrases.some(
    (phrase) =>
      (isInRange(from, phrase) || isInRange(to - 1, phrase)) &&
      !(from <= phrase.from && phrase.to < to) &&
      !(phrase.from < from && to < phrase.to && PARTICLE.test(words[phrase.to - 1] ?? "")),
  );
}

const PARTICLE = /^(?:off|back|away|down|out)$/u;

const isInRange = (index: number, { from, to }: { from: number; to: number }): boolean =>
  from <= index && index < to;

/** "My boss he is allergic": the pronoun refers to the value and is not part of it. */
const TAKING_UP = /^(?:he|she|they|we)$/u;

const NOT_AT_EDGE =
  /^(?:to|for|as|on|is|was|were|be|been|that|says|saying|which|called|named|with|should|so|of|and|then|or|but|it|at|by|than|are|am|the|a|an|my)$/u;

/** A text starts with a word that may start one, or with anything after a colon or a word that introduces it. */
export function mayBeginText(
  slot: Slot,
  aligned: AlignedRequest,
  { from, left }: { from: number; left: number },
): boolean {
  const {
    request: { units },
    words,
    families,
  } = aligned;
  const [unit, word] = [units[from], words[from] ?? ""];
  if (unit === undefined || unit.kind === "mark") return false;
  if (unit.kind !== "word") return unit.kind !== "quoted" || left > 0;
  // "In my journal that mum called": the value begins after it.
  if (DETERMINERS.has(word)) return word !== "that" || isIntroduced(aligned, from);
  // "New entry, …": the word announces the value.
  if (slot.labels.has(families[from] ?? "") && units[from + 1]?.kind === "mark") return false;
  if (HESITATION.test(word)) return false;
  // "Lent me the drill": the person, not the thing.
  if (!isIntroduced(aligned, from) && /^(?:me|us|him|her|them)$/u.test(word)) return false;
  // "Lent out Momo": the word belongs to the verb.
  if (left < 4.5 && /^(?:out|up|off|away|over|down)$/u.test(word)) return false;
  const before = units[from - 1];
  const isOpening = before === undefined || (before.isHarmless && !HESITATION.test(before.text));
  // "Quiz me …": an order, too.
  const next = words[from + 1] ?? "";
  const isOrder = kindsOfVerb(word).size > 0 || DETERMINERS.has(next) || /^(?:me|us)$/u.test(next);
  if (left < 2 && isOpening && isOrder) return false;
  if (left < 3 && NEUTRAL.has(word)) return false;
  if (left < 3.5 && /^(?:i|we|he|she|they|you|there|me|us|him|her|them|needs|goes|has|gets)$/u.test(word))
    return false;
  if (left >= 4) {
    const isIntroduced = /^[:=–—-]$/u.test(words[from - 1] ?? "");
    return !/^(?:is|was|that|says|saying|to|as)$/u.test(word) && (isIntroduced || !PREPOSITIONS.has(word));
  }
  return !NOT_AT_EDGE.test(word) && !(PREPOSITIONS.has(word) && left < 3);
}

export function mayEndText({ request: { units }, words }: AlignedRequest, from: number, to: number): boolean {
  const [unit, word] = [units[to - 1], words[to - 1] ?? ""];
  if (unit?.kind !== "word") return true;
  if (units[to]?.kind === "date" && DEADLINES.has(word)) return false;
  if (to - from === 1 && (DETERMINERS.has(word) || NOT_AT_EDGE.test(word) || PREPOSITIONS.has(word)))
    return false;
  return (
    !NOT_AT_EDGE.test(word) &&
    !TAKING_UP.test(word) &&
    !DETERMINERS.has(word) &&
    !PREPOSITIONS.has(word) &&
    !/^(?:no|not|without|half|back|off|away|again|instead|used)$/u.test(word)
  );
}

export function mayBeInName(unit: Unit, word: string, isFirst: boolean, isFolder: boolean): boolean {
  if (unit.kind === "number" || unit.kind === "time") return true;
  if (unit.kind !== "word") return false;
  if (word === "out" && isFolder) return true;
  if (BLOCKING_WORDS.has(word) || PREPOSITIONS.has(word) || NOT_AT_EDGE.test(word)) return false;
  if (/^(?:us|me|him|her|them|this|you|i|we|too|please|pls|also|first|last)$/u.test(word)) return false;
  return !(isFirst && (DETERMINERS.has(word) || (NEUTRAL.has(word) && !unit.isHarmless)));
}

const NAMING = /^(?:called|named|titled|name|call|title)$/u;
const TEXT_CUE =
  /^(?:saying|says|say|reads|reading|text|content|contents|containing|that|line|words|title)$/u;
const LINKING = /^(?:is|was|be|should|are|as|=|to|says)$/u;
const ORIGIN = /^(?:by|from|of)$/u;
const LOCATION = /^(?:in|at|inside)$/u;
const PRONOUN = /^(?:it|this|that|him|her|them)$/u;

/** "To Svea" for templates with "from {member}": giving is not receiving. */
export const isOppositeDirection = (word: string, { before }: Slot): boolean =>
  (word === "to" && before.has("from") && !before.has("to")) ||
  (word === "from" && before.has("to") && !before.has("from"));

/** The evidence before a position that a value starts there: a word that introduces it, its noun, a mark. */
export function startEvidence(aligned: AlignedRequest, from: number, slot: Slot): number {
  const {
    request: { units, phrases },
    words,
    families,
    concepts,
  } = aligned;
  let index = from - 1;
  let lost = 0;
  const isSkipped = (): boolean => {
    const [unit, word] = [units[index], words[index] ?? ""];
    if (unit === undefined || unit.kind !== "word") return false;
    if (unit.isHarmless && !HESITATION.test(word)) lost = 1.5;
    return unit.isHarmless || (DETERMINERS.has(word) && word !== "that");
  };
  while (index >= 0 && isSkipped()) index -= 1;
  const before = units[index];
  const word = words[index] ?? "";
  if (index < from - 1 && !slot.before.has(word) && precedesOwnThing(aligned, from, slot)) return 3 - lost;
  if (before === undefined) return (slot.isProper && isCapital(aligned, from) ? 2 : 1.2) - lost;
  const isLabel = (index: number): boolean =>
    units[index]?.kind === "word" &&
    (slot.labels.has(families[index] ?? "") ||
      (slot.type === "name" && NAMING.test(words[index] ?? "")) ||
      (slot.type === "text" && TEXT_CUE.test(words[index] ?? "")));
  if (before.kind === "mark") {
    let noun = index - 1;
    while (units[noun]?.kind === "mark" || units[noun]?.isHarmless === true) noun -= 1;
    const isAfterThing = concepts.nouns.has(families[noun] ?? "");
    if (/^[:=–—-]$/u.test(before.text)) {
      if (isLabel(index - 1)) return 4.5 - lost;
      if (slot.before.has(before.text) || isAfterThing) return 3.6 - lost;
      return (before.text === ":" ? 3.2 : 2.5) - lost;
    }
    if (/^[!.]$/u.test(before.text) && isAfterThing) return 3 - lost;
    const isListed = units[index - 1]?.kind !== "word" && units[index - 1]?.kind !== "mark";
    return (slot.before.has(before.text) ? 2.5 : isListed ? 1.6 : 1) - lost;
  }
  if (before.kind !== "word") return 1 - lost;
  if (slot.before.has(word)) return 4 - lost;
  if (isOppositeDirection(word, slot)) return 0;
  // "The book Momo": the word names another parameter.
  const isOthers = (other: Slot): boolean => other !== slot && other.labels.has(families[index] ?? "");
  if (!isLabel(index) && slot.type === "text" && concepts.slots.some(isOthers)) return 0;
  // "From the inbox" names a source; after "from", another word names another source.
  if (concepts.placePrepositions.has(word)) return 0;
  // "Call it ladder", "name it x".
  if (PRONOUN.test(word) && slot.type === "name" && NAMING.test(words[index - 1] ?? "")) return 4 - lost;
  if (isLabel(index)) return 3.6 - lost;
  const subject = units[index - 1]?.kind === "word" ? index - 1 : index - 2;
  if (/^(?:needs|is|was|says|gets|has|had)$/u.test(word) && concepts.nouns.has(families[subject] ?? ""))
    return 2.6 - lost;
  if (LINKING.test(word) && (isLabel(index - 1) || isLabel(index - 2) || isLabel(index - 3))) return 4 - lost;
  // "The password of the café is x" means the same as "the password of the café: x".
  if (/^(?:is|=)$/u.test(word) && slot.before.has(":")) return 3.2 - lost;
  if (concepts.nouns.has(families[index] ?? "")) return 2.5 - lost;
  // The source of words has several prepositions: "by Seneca", "from Seneca", "of Seneca".
  if (ORIGIN.test(word) && [...slot.before].some((one) => ORIGIN.test(one))) return 3 - lost;
  // So has a place: "in the hall", "at the hall".
  const isOthersPlace = concepts.slots.some((other) => other !== slot && other.before.has(word));
  if (LOCATION.test(word) && !isOthersPlace && [...slot.before].some((one) => LOCATION.test(one)))
    return 3 - lost;
  // "Starting at Ystad" names the start.
  if (PREPOSITIONS.has(word) && isLabel(index - 1)) return 3.6 - lost;
  // A place is a name, not a text.
  const isNameBegun = slot.isProper && isCapital(aligned, from) && !isCapital(aligned, index);
  if (slot.type === "text" && /^(?:to|under|in|into|from)$/u.test(word)) {
    const isOthers = concepts.slots.some((other) => other !== slot && other.before.has(word));
    return isNameBegun && word === "to" && !isOthers ? LED_BY_CAPITAL - lost : 0;
  }
  if (/^(?:to|for|on|with|as|and|about|under|in|into|of|from)$/u.test(word)) return 1.6 - lost;
  // The order itself: "add oat milk to …".
  const isOrder = index === 0 || units[index - 1]?.isHarmless === true;
  if (isOrder && [...kindsOfVerb(word)].some((kind) => concepts.kinds.has(kind))) return 2 - lost;
  if (kindsOfVerb(word).size > 0 || phrases.some(({ to }) => to === index + 1)) return 1.4 - lost;
  // "We leave Rome": a name starts. Another preposition than in the templates has another meaning.
  if (isNameBegun && !PREPOSITIONS.has(word)) return LED_BY_CAPITAL - lost;
  return lost > 0 ? 0.5 : 0;
}

/** "A piano lesson": the value precedes the noun, as in the templates. */
function precedesOwnThing(
  { request: { units }, words, families, concepts }: AlignedRequest,
  from: number,
  { after }: Slot,
): boolean {
  for (let index = from + 1; index <= from + MAX_WORDS_BEFORE_THING; index += 1) {
    if (units[index]?.kind !== "word") return false;
    if (concepts.nouns.has(families[index] ?? "")) return after.has(words[index] ?? "");
  }
  return false;
}
const MAX_WORDS_BEFORE_THING = 3;

/** The evidence in a capital letter that a proper name starts. */
export const LED_BY_CAPITAL = 2.2;

export const isCapital = ({ request: { units } }: Pick<AlignedRequest, "request">, index: number): boolean =>
  units[index]?.isCapital === true;

/** "Starting at Ystad" and "in Ystad" name the role of the place. */
export function precedesName(aligned: AlignedRequest, from: number): boolean {
  const {
    request: { units },
    words,
  } = aligned;
  if (units[from]?.kind !== "word" || isCapital(aligned, from)) return false;
  const isPreposition = (index: number): boolean =>
    PREPOSITIONS.has(words[index] ?? "") || words[index] === "to";
  return isPreposition(from) || (plainOf(words[from] ?? "") !== undefined && isPreposition(from + 1));
}

/** "In the log": the place where the function stores items, not part of a value. */
export function precedesOwnPlace({ words, concepts }: AlignedRequest, index: number): boolean {
  const word = words[index] ?? "";
  const isPlace = PREPOSITIONS.has(word) || PLACES.has(word);
  return isPlace && DETERMINERS.has(words[index + 1] ?? "") && concepts.literals.has(words[index + 2] ?? "");
}

const isClosing = (unit: Unit): boolean => unit.kind === "mark" && /^[.!?]$/u.test(unit.text);

/** The evidence after a position that a value ends there: the end, a mark, a word that follows it in the templates. */
export function endEvidence(aligned: AlignedRequest, to: number, slot: Slot): number {
  const {
    request: { units },
    words,
    families,
    concepts,
  } = aligned;
  let index = to;
  let harmless = 0;
  for (let unit = units[index]; unit !== undefined; unit = units[index]) {
    const isEnd = isClosing(unit) && units.slice(index).every((one) => isClosing(one) || one.isHarmless);
    if (
      !unit.isHarmless &&
      !isEnd &&
      !(
        unit.kind === "mark" &&
        unit.text === "," &&
        units.slice(index + 1).every((one) => one.isHarmless || one.kind === "mark")
      )
    )
      break;
    if (unit.isHarmless) harmless += 1;
    index += 1;
  }
  const next = units[index];
  const word = words[index] ?? "";
  if (next === undefined) return harmless > 0 ? 2.8 : 3;
  if (slot.after.has(word)) return 3;
  if (/^(?:up|down|back|out)$/u.test(word) && slot.after.has(words[index + 1] ?? "")) return 3;
  if (precedesAfterWord(aligned, index, slot)) return 3;
  if (TAKING_UP.test(word)) return 2;
  // "On the list" and "to the list" name the same place.
  const isPlace = PLACES.has(word) && [...slot.after].some((one) => PLACES.has(one));
  const place = DETERMINERS.has(words[index + 1] ?? "") ? index + 2 : index + 1;
  if (isPlace && concepts.nouns.has(families[place] ?? "")) return 3;
  if (precedesOwnPlace(aligned, index)) return 2.4;
  if (index > to) return harmless > 0 ? 1.5 : 2;
  if (next.kind === "mark") return 2;
  if (concepts.slots.some((other) => other !== slot && other.before.has(word))) return 2;
  const isDeadline = DEADLINES.has(word) && units[index + 1]?.kind === "date";
  if (isDeadline && concepts.slots.some((other) => other !== slot && other.type === "date")) return 2;
  const isOthersLabel = ({ labels, type }: Slot): boolean =>
    labels.has(families[index] ?? "") && !isFreeNoun(aligned, index, type);
  if (concepts.slots.some((other) => other !== slot && isOthersLabel(other))) return 2;
  if (concepts.slots.some((other) => other !== slot && other.type === next.kind)) return 2;
  if (next.kind !== "word") return 1.2;
  if (concepts.nouns.has(families[index] ?? "")) return 2;
  if (concepts.literals.has(word) && !DETERMINERS.has(word)) return 2;
  if (/^(?:was|were)$/u.test(word) && concepts.literals.has(words[index + 1] ?? "")) return 2.4;
  if (/^(?:should|needs?|must|can|has|belongs|goes|gets?|got|received)$/u.test(word)) return 2.4;
  if (/^(?:and|then|to|in|into|as|from|on|is|with|which|that|saying|under|at|off|onto|has)$/u.test(word))
    return 1.6;
  // "Lena Fischer moved in": the name ends at the first word in lower case.
  if (slot.isProper && isCapital(aligned, to - 1) && !isCapital(aligned, index)) return 1.2;
  if (!DETERMINERS.has(word)) return 0;
  // "Give Remy a call": the noun follows the value.
  return concepts.nouns.has(families[index + 1] ?? "") ? 2 : 0.5;
}

/** "About exam dates": a word for a day, a number or an address that no such value follows names no parameter. */
export const isFreeNoun = (
  { request: { units }, words }: AlignedRequest,
  at: number,
  type: Slot["type"],
): boolean => {
  if (type !== "date" && type !== "time" && type !== "number" && type !== "url" && type !== "email")
    return false;
  const next = /^(?:is|are|was|were|on|at|of|to|as|for|:|=)$/u.test(words[at + 1] ?? "") ? at + 2 : at + 1;
  return units[next]?.kind !== type;
};

/** "With the meaning" for templates with "meaning" after the value. */
export const precedesAfterWord = ({ words }: AlignedRequest, index: number, { after }: Slot): boolean =>
  words[index] === "with" && DETERMINERS.has(words[index + 1] ?? "") && after.has(words[index + 2] ?? "");

/** True if words have content of their own: "a new", "the right" are not a value. */
export function hasContentWord(
  { request: { units }, words, families, concepts }: AlignedRequest,
  from: number,
  to: number,
): boolean {
  const isNamed = concepts.nouns.has(families[to] ?? "");
  // "Log watering: 5 litres": the noun itself is not a value, in any position.
  const isThing = (index: number): boolean =>
    units[index]?.kind === "word" &&
    (concepts.nouns.has(families[index] ?? "") || concepts.literals.has(words[index] ?? ""));
  if (units.slice(from, to).every((_, index) => isThing(from + index)) && to - from < 2) return false;
  return units.slice(from, to).some((unit, index) => {
    const word = words[from + index] ?? "";
    if (unit.kind === "mark" || /^(?:please|thanks|pls)$/u.test(word)) return false;
    if (unit.kind !== "word" || unit.isProper) return true;
    return (
      !PRONOUNS.has(word) &&
      !DETERMINERS.has(word) &&
      !/^(?:new|another)$/u.test(word) &&
      !(isNamed && DESCRIBING.has(word))
    );
  });
}

/**
 * "The search service's port", "Vivaldi's Gloria": the 's belongs to the sentence, not to the name. "At Ben's on
 * friday" keeps it.
 */
export function withoutPossessive(
  value: string,
  { request: { units }, words, families, concepts }: AlignedRequest,
  next: number,
): string {
  if (!value.endsWith("'s") && !value.endsWith("’s")) return value;
  const [family, word] = [families[next] ?? "", words[next] ?? ""];
  const isNamed = concepts.nouns.has(family) || concepts.slots.some(({ labels }) => labels.has(family));
  const isJoining =
    NEUTRAL.has(word) ||
    PREPOSITIONS.has(word) ||
    DEADLINES.has(word) ||
    /^(?:to|for|on|as|with|and|or|is|are|was|has)$/u.test(word);
  const isOf = units[next]?.kind === "word" && (isNamed || (!isJoining && !units[next].isHarmless));
  return isOf || units[next]?.text === ":" ? value.replace(/['’]s$/u, "") : value;
}

/** The units from `from` up to `to` as a value: without a possessive of the sentence and the marks at its end. */
export function valueBetween(aligned: AlignedRequest, from: number, to: number): string {
  const text = textOfUnits(aligned.request, from, to);
  // Most texts end with neither, and a request has many texts that may be a value.
  return /^[.!s]$/u.test(text.at(-1) ?? "")
    ? withoutPossessive(text, aligned, to).replace(/[.!]+$/u, "")
    : text;
}
