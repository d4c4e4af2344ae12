import { oneOf } from "@metahuman/core/text/patterns";
import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, inflection, stem } from "@metahuman/core/language/tokens/words";
import { hasVerb } from "@metahuman/core/text/statements";
import { plainWords } from "@metahuman/core/text/words";
import { correctedFacts, isSameSubject, PREPOSITION, splitAtSpaces, withNewPredicate } from "./amendment.ts";

// Detects that a statement contradicts a remembered fact, and corrects the fact.

/** The maximum length of a statement. Longer texts state more than one fact. */
export const MAX_STATEMENT = 500;

/** Words for what has changed. */
const CHANGED = new RegExp(
  [
    String.raw`\b(?:now|nowadays|these days|from now on|any ?more|no longer)\b`,
    String.raw`\b(?:has|have|was|is|got)\s+(?:(?:just|recently|been)\s+)*(?:changed|moved|gone)\b`,
    String.raw`\b(?:moved|changed|switched|rescheduled|postponed|went|rose|increased|raised|dropped)\s+(?:(?:up|down)\s+)?to\b`,
    String.raw`\bchanged\s*[,;:.]|^(?:the|my|our|his|her|their|\S{1,40}['’]s)\s(?:\S{1,40}\s)?new\s`,
    String.raw`\b(?:has|have|got)\s+a\s+new\s`,
  ].join("|"),
  "iu",
);

/** True for a statement that says that something has changed: "the key hangs at Pekka's now". */
export const saysChange = (statement: string): boolean =>
  statement.length <= MAX_STATEMENT && !statement.includes("?") && CHANGED.test(statement);

const OPENS_CORRECTION = oneOf(
  "actually|no|sorry|correction|wait|well|in fact|by the way|btw|oops|damn|hold on|hang on",
  String.raw`(?:oh|ah)(?:\s+(?:no|dear|shoot|damn|well|yes))?`,
);
const SAYS_WRONG = oneOf(
  String.raw`(?:that|this|it)(?:['’]s|\s+has|\s+is|\s+was)\s+(?:just\s+)?changed`,
  String.raw`i\s+was\s+wrong|my\s+mistake|that['’]?s\s+wrong`,
);
/** Words that mark a statement as new, which are not part of the fact. */
const LEADING_MARKERS = new RegExp(
  String.raw`^(?:${OPENS_CORRECTION}[,:.]?\s+|${SAYS_WRONG}[,:.;]\s*)+`,
  "iu",
);
const TRAILING_MARKERS = /[,\s]+(?:now|by now|these days|nowadays|from now on|instead|actually|any ?more)$/iu;
/** "…, not on Mondays": what is no longer so comes last. */
const DENIED_LAST = /[,;]?\s+(?:and\s+)?(?:not|no\s+longer)\s+(?:[^\s,;]+\s){0,4}[^\s,;]+$/iu;
/** "Birgit has a new number: 040 555 2212" */
const HAS_NEW = new RegExp(
  [
    String.raw`^(?<owner>[^,;:.!?\s]+(?:\s[^,;:.!?\s]+){0,3}?)\s+(?:has\s+got|has|have|got)\s+an?\s+new\s+`,
    String.raw`(?<subject>\p{L}+(?:\s\p{L}+)?)\s*(?:[,;:]|\s[–-]|\sand)\s*`,
    String.raw`(?:(?:its|it['’]s|it\s+is|that\s+is)\s+)?(?<value>[^,;!?\n]{1,80})$`,
  ].join(""),
  "iu",
);
/** "The new diesel code", "my son's new teacher" */
const NEW_SUBJECT =
  /^(?<owner>(?:the|my|our|his|her|their|\S{1,40}['’]s)\s(?:\S{1,40}['’]s\s)?)new\s+(?=\p{L}+\s)/iu;
/** "Ida sold the Volvo, she drives a Skoda": what is so now is said of a pronoun. */
const SECOND_CLAUSE = new RegExp(
  [
    String.raw`^(?<first>[^,;:.!?]{3,120})(?:[,;:.]|\s[–-]|\s(?:and|but))\s+(?:(?:and|but|so|now)\s+){0,2}(?:now\s+)?(?:`,
    String.raw`(?:it|he|she|they|that)(?<is>['’]s|\s+is|\s+are|\s+now\s+is)\s+|(?<its>its)\s+|(?:it|he|she|they)\s+|`,
    String.raw`the\s+new\s+(?:one|\p{L}+)\s+(?<new>is)\s+`,
    String.raw`)(?<rest>\S[^?!\n]{0,120})$`,
  ].join(""),
  "iu",
);
const NEGATED_VERB = /^(?:(?:is|are|was|were|does|do|has|have|can|wo)n['’]?t|cannot|never|no)$/iu;

const MOVED_WORDS = oneOf(
  "moved|put|took|brought|hung|hid|parked|shifted|changed|swapped|replaced|reset|renewed|sold",
);
/** "I moved the spruce, it is on the third shelf now": what was moved is the subject. */
const MOVED = new RegExp(
  String.raw`^(?:i|we|he|she|they|[\p{L}'’]+)\s+(?:(?:have|has|['’]ve)\s+)?(?:just\s+|also\s+)?${MOVED_WORDS}\s+(?<object>(?:the|my|our|his|her|their)\s+\S[^,;]*)$`,
  "iu",
);
/** "The gate code has changed, now 7702" */
const CHANGED_NOW =
  /^(?<subject>\S[^,;:!?]{2,80}?)\s+(?:(?:has|have|is|was|got)\s+)?(?:been\s+|just\s+)?changed\s*[,;:.–-]*\s*(?:(?:it|that)(?:['’]s|\s+is)\s+|(?:to|now)\s+)+(?<value>[^\s,;!?]+(?:\s[^\s,;!?]+){0,2})$/iu;

/** Words that tell what somebody or something does. */
const isVerb = (word: string): boolean =>
  hasVerb(word) ||
  NEGATED_VERB.test(word) ||
  inflection(word.toLowerCase()) === "past" ||
  plainOfPast(word.toLowerCase()) !== undefined;

/** "Ida" of "Ida sold the Volvo"; undefined without a verb. */
function subjectOf(clause: string): string | undefined {
  const words = splitAtSpaces(clause);
  const verb = words.findIndex((word, index) => index > 0 && isVerb(word));
  return verb > 0 ? words.slice(0, verb).join(" ") : undefined;
}

/** A statement without the words that mark it as new: "the boat is at berth 22" for "no, the boat is at berth 22 now". */
export function plainStatement(stated: string): string {
  if (stated.length > MAX_STATEMENT) return stated;
  const statement = stated
    .trim()
    .replace(/[\s.!]+$/u, "")
    .replace(LEADING_MARKERS, "");
  const { first = "", is, its, new: isNewOne, rest = "" } = SECOND_CLAUSE.exec(statement)?.groups ?? {};
  const { subject: changed, value } = CHANGED_NOW.exec(statement)?.groups ?? {};
  if (changed !== undefined && value !== undefined)
    return `${changed} is ${value.replace(TRAILING_MARKERS, "")}`;
  const subject = rest === "" ? undefined : (MOVED.exec(first)?.groups?.["object"] ?? subjectOf(first));
  const isCopula = is !== undefined || its !== undefined || isNewOne !== undefined;
  const whole = subject === undefined ? statement : `${subject} ${isCopula ? "is " : ""}${rest}`;
  return whole
    .replace(DENIED_LAST, (denied, at: number) =>
      hasVerb(whole.slice(0, at)) && hasValueAfterVerb(whole.slice(0, at)) ? "" : denied,
    )
    .replace(TRAILING_MARKERS, "")
    .replace(HAS_NEW, "$<owner>'s $<subject> is $<value>")
    .replace(NEW_SUBJECT, "$<owner>")
    .replace(/\s+now\s+/iu, " ")
    .trim();
}

/** True if something follows the verb: "the bins are collected on Thursdays", and not "Tom is". */
function hasValueAfterVerb(statement: string): boolean {
  const words = splitAtSpaces(statement);
  const verb = words.findIndex((word, index) => index > 0 && hasVerb(word));
  return verb > 0 && verb < words.length - 1;
}

/** A remembered fact that a statement contradicts, after the correction. */
export interface Contradiction {
  corrected: string;
  /** True if the fact is no longer true; otherwise both may be true. */
  isCertain: boolean;
}

/** The correction of a fact by a statement about the same subject and relation with another value. Undefined if it contradicts nothing. */
export function contradiction(fact: string, stated: string): Contradiction | undefined {
  const parts = fact.split(FACT_BREAK);
  const facts = parts.filter((_, index) => index % 2 === 0);
  if (facts.length === 1 || !facts.every(hasVerb)) return contradictionOf(fact, stated);
  const found = facts.flatMap((one, index) => {
    const other = contradictionOf(one, stated);
    return other === undefined ? [] : [{ ...other, index }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return contradictionOf(fact, stated);
  return { ...only, corrected: parts.with(only.index * 2, only.corrected).join("") };
}

/** Between the facts of one sentence: "Ann works on Mondays, the code is 4410, and Rex is a dog". */
const FACT_BREAK = /([,;]\s+(?:and\s+)?)/iu;

function contradictionOf(fact: string, stated: string): Contradiction | undefined {
  const statement = plainStatement(stated);
  const denied = withDenial(fact, statement);
  if (denied !== undefined) return { corrected: denied, isCertain: false };
  const [corrected, ...others] = correctedFacts(fact, statement, correctedStatement);
  if (corrected === undefined || others.length > 0 || corrected === fact) return undefined;
  if (isOfOtherKind(fact, corrected)) return undefined;
  const isMoved = MOVED.test(SECOND_CLAUSE.exec(stated.trim())?.groups?.["first"] ?? "");
  return {
    corrected,
    isCertain: saysChange(stated) && isSameRelation(statement, fact, { corrected, isMoved }),
  };
}

const correctedStatement = (fact: string, statement: string): string | undefined =>
  inOtherPlace(fact, statement) ??
  withNewValue(fact, statement) ??
  withPartOfTime(fact, withNewPredicate(fact, statement)) ??
  withNewOwner(fact, statement);

const NEGATION = /\b(?:not|no longer)\s+|(?<=\p{L})n['’]?t\b/iu;

/** "Tom is not allergic to nuts" in place of "Tom is allergic to nuts"; undefined for any other statement. */
function withDenial(fact: string, statement: string): string | undefined {
  if (!NEGATION.test(statement)) return undefined;
  const contentOf = (text: string): string =>
    plainWords(text)
      .filter((word) => !/^(?:the|a|an|my|our|does|do)$/u.test(word))
      .map(stem)
      .join(" ");
  return contentOf(statement.replace(NEGATION, " ")) === contentOf(fact) ? statement : undefined;
}

/** Verbs of where something is. */
const IS_PLACED = /^(?:is|are|was|were|hangs?|lies|lie|sits?|stands?|stays?|rests?)$/iu;
/** What follows them before the place: "is kept in". */
const HOW_PLACED = /^(?:kept|stored|parked|hidden|located|hanging|lying|standing|moored|berthed)$/iu;
const PLACE =
  /^(?:at|in|on|under|underneath|behind|by|near|inside|outside|with|next|beside|above|below|over|between|opposite)$/iu;

const verbIn = (words: readonly string[]): number =>
  words.findIndex((word, index) => index > 0 && hasVerb(word));

/** The verb that tells where something is; -1 for any other sentence. */
function placeVerbIn(words: readonly string[]): number {
  const verb = verbIn(words);
  const next = words[verb + 1] ?? "";
  const at = HOW_PLACED.test(next) ? verb + 2 : verb + 1;
  const isPlace = PLACE.test(words[at] ?? "") && kindOfValue(words.slice(at).join(" ")) === "place";
  return verb > 0 && IS_PLACED.test(words[verb] ?? "") && isPlace ? verb : -1;
}

/** "The boat is at berth 17" in place of "the boat lies at berth 41": the same subject in another place. */
function inOtherPlace(fact: string, statement: string): string | undefined {
  const [oldWords, newWords] = [splitAtSpaces(fact), splitAtSpaces(statement)];
  const [oldVerb, newVerb] = [placeVerbIn(oldWords), placeVerbIn(newWords)];
  const subject = oldWords.slice(0, oldVerb);
  if (
    oldVerb < 1 ||
    newVerb < 1 ||
    subject.join(" ").includes(",") ||
    !isSameSubject(newWords.slice(0, newVerb), subject)
  )
    return undefined;
  // "My organ key" need not be "the spare key to the organ".
  const named = newWords.slice(0, newVerb).filter((word) => !REFERS.test(word));
  if (
    !` ${subject.join(" ").toLowerCase()} `.includes(` ${named.join(" ").toLowerCase()} `) &&
    named.length > 0
  )
    return undefined;
  return [...subject, ...newWords.slice(newVerb)].join(" ");
}

const REFERS = /^(?:the|my|our|he|she|it|they|that|this)$/iu;

const NEW_VALUE_WORDS = oneOf(
  String.raw`moved|changed|switched|shifted|rescheduled|postponed|relocated|(?:gone|went)\s(?:up|down)|rose|risen`,
  "increased|raised|reduced|lowered|dropped",
);
/** "The meeting moved to Thursday", "the rent has gone up to 950 euros": the value of a fact that stays the same otherwise. */
const NEW_VALUE = new RegExp(
  String.raw`^(?<subject>\S.{0,120}?)\s(?:(?:has|have|is|are|was|were|got)\s)?(?:(?:been|just|also|recently)\s){0,2}${NEW_VALUE_WORDS}\sto\s(?<value>\S.*)$`,
  "iu",
);

function withNewValue(fact: string, statement: string): string | undefined {
  const { subject, value } = NEW_VALUE.exec(statement.replaceAll(/\s+/gu, " "))?.groups ?? {};
  const oldWords = splitAtSpaces(fact);
  const verb = verbIn(oldWords);
  if (subject === undefined || value === undefined || verb < 1 || verb === oldWords.length - 1)
    return undefined;
  if (!isSameSubject(splitAtSpaces(subject), oldWords.slice(0, verb))) return undefined;
  const before = oldWords.slice(verb + 1).join(" ");
  const preposition = PREPOSITION.test(value) ? "" : (PREPOSITION.exec(before)?.[0] ?? "");
  if (preposition === "" && kindOfValue(before) !== kindOfValue(value)) return undefined;
  return withPartOfTime(fact, `${oldWords.slice(0, verb + 1).join(" ")} ${preposition}${value}`);
}

const DAY =
  /\b(?:(?:on|every)\s+)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\d{1,2}(?:st|nd|rd|th)?\s+(?:january|february|march|april|may|june|july|august|september|october|november|december))\b/iu;
const CLOCK = /\b(?:at\s+)?(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|noon|midnight)\b/iu;

/** "Yoga is on Friday at 6 pm" in place of "Yoga is on Wednesday at 6 pm": only the day or the time changes. */
function withPartOfTime(fact: string, corrected: string | undefined): string | undefined {
  if (corrected === undefined) return undefined;
  const [day, time] = [DAY.exec(fact)?.[0], CLOCK.exec(fact)?.[0]];
  const [newDay, newTime] = [DAY.exec(corrected)?.[0], CLOCK.exec(corrected)?.[0]];
  if (day === undefined || time === undefined) return corrected;
  if (newDay !== undefined && newTime === undefined) return fact.replace(day, newDay);
  return newTime !== undefined && newDay === undefined ? fact.replace(time, newTime) : corrected;
}

/** "Birgit has the boathouse key" in place of "Pekka has the boathouse key". */
function withNewOwner(fact: string, statement: string): string | undefined {
  const [oldWords, newWords] = [splitAtSpaces(fact), splitAtSpaces(statement)];
  const [oldVerb, newVerb] = [verbIn(oldWords), verbIn(newWords)];
  const isHeld =
    [oldWords[oldVerb], newWords[newVerb]].every((verb) => /^(?:has|keeps)$/iu.test(verb ?? "")) &&
    /^the$/iu.test(oldWords[oldVerb + 1] ?? "");
  const isSameThing =
    oldWords
      .slice(oldVerb + 1)
      .join(" ")
      .toLowerCase() ===
    newWords
      .slice(newVerb + 1)
      .join(" ")
      .toLowerCase();
  return isHeld && isSameThing ? statement : undefined;
}

/** The kind of a value: a time, a place, a number or code, a name, or something else. */
function kindOfValue(words: string): "time" | "place" | "number" | "name" | "other" {
  const [verb = "", ...others] = words.split(" ");
  const first = HOW_PLACED.test(verb) ? (others[0] ?? "") : verb;
  if (DAY.test(words) || CLOCK.test(words)) return "time";
  if (PLACE.test(first)) return "place";
  if (/\d/u.test(words)) return "number";
  return /^(?:(?:called|named)\s)?\p{Lu}\p{Ll}/u.test(words) ? "name" : "other";
}

const valueOf = (sentence: string): string => {
  const words = splitAtSpaces(sentence);
  return words.slice(verbIn(words) + 1).join(" ");
};

/** True if one tells when or where something is, and the other what it is: "my flat is in Porto", "my flat is tidy". */
function isOfOtherKind(fact: string, corrected: string): boolean {
  const [one, other] = [kindOfValue(valueOf(fact)), kindOfValue(valueOf(corrected))];
  return one !== other && [one, other].some((kind) => kind === "time" || kind === "place");
}

/**
 * True if a statement names the subject of a fact completely or by a proper name, and gives another value of the same kind. "Clara is
 * tired" need not contradict "Clara is a nurse".
 */
function isSameRelation(
  statement: string,
  fact: string,
  { corrected, isMoved }: { corrected: string; isMoved: boolean },
): boolean {
  const [oldWords, newWords] = [splitAtSpaces(fact), splitAtSpaces(corrected)];
  const [oldVerb, newVerb] = [verbIn(oldWords), verbIn(newWords)];
  if (oldVerb < 1 || newVerb < 1) return false;
  const stated = plainWords(statement.replaceAll(/['’]s\b/gu, ""));
  const subject = oldWords.slice(0, oldVerb);
  const isNamed = subject.some(
    (word) => /^\p{Lu}\p{Ll}+$/u.test(word) && stated.includes(word.toLowerCase()),
  );
  const content = plainWords(subject.join(" ").replaceAll(/['’]s\b/gu, "")).filter(
    (word) => !FUNCTION_WORDS.has(word),
  );
  const verb = verbIn(splitAtSpaces(statement));
  const named = splitAtSpaces(statement).slice(0, verb);
  // What somebody says to have moved is known: "the spruce" is "the spruce from Val di Fiemme".
  const isShorter =
    isMoved &&
    named.length > 1 &&
    named.every((word, index) => word.toLowerCase() === subject[index]?.toLowerCase()) &&
    /^(?:from|of|in|with|for|at)$/iu.test(subject[named.length] ?? "");
  const isNumber = (word: string): boolean => /^(?:phone|number|mobile)$/u.test(word);
  if (
    !isNamed &&
    !isShorter &&
    !content.every((word) => stated.includes(word) || (isNumber(word) && stated.some(isNumber)))
  )
    return false;
  const kind = kindOfValue(valueOf(fact));
  return kind !== "other" && kind === kindOfValue(valueOf(corrected));
}
