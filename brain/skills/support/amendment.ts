import { oneOf } from "@metahuman/core/text/patterns";
import { dayOf } from "@metahuman/core/language/dates/clock";
import type { Correction, FollowingCall, MadeCall } from "@metahuman/core/language/grammar/phrase";
import { isPastForm } from "@metahuman/core/language/tokens/irregular-verbs";
import { hasVerb, statementsIn } from "@metahuman/core/text/statements";
import { isRecord } from "@metahuman/core/text/is-record";

const REMARK_WORDS = oneOf(
  "fine|ok|okay|good|great|perfect|nice|lovely|alright|right|correct|true|done|enough|nothing|raining",
  "late|over",
);
/** What people answer when nothing is wrong: "no, it's fine". */
const REMARK = new RegExp(
  String.raw`^(?:(?:all\s+)?${REMARK_WORDS}|what\s+it\s+is)(?:\s+(?:now|today|too|already|like\s+that|as\s+it\s+is|thanks?))?[\s.!]*$`,
  "iu",
);
/** A longer text is not written anew by a correction of a few words. */
const MAX_SHORT_WORDS = 5;

/**
 * True for a correction that is another text for the whole of what was written. "No cream" after a list is not one, and neither is "it's Saturday, not
 * Friday" after a letter.
 */
export function isOtherText(words: string, content: string): boolean {
  const plain = content.trim();
  if (REMARK.test(words.trim()) || /^(?:it|that|this)\s+was\s|\stoday[\s.!]*$/iu.test(words)) return false;
  if (plain === "" || plain.includes("\n") || /(?:^|[\s,])not\s/iu.test(words)) return false;
  const [length, before] = [words.trim().split(/\s+/u).length, plain.split(/\s+/u).length];
  return before <= MAX_SHORT_WORDS ? length <= before + MAX_SHORT_WORDS : length * 2 >= before;
}

/** Corrects the date, or else the title, of the task that a call made or changed. */
export function amendTask(
  { outputs: { id, task } }: MadeCall,
  { words, date, timeZone }: Correction,
): FollowingCall[] | undefined {
  if (typeof id !== "string" || !isRecord(task) || typeof task["title"] !== "string") return undefined;
  // A number may correct one in the title, and is not a title.
  const title = withPart(task["title"], words) ?? (isNumber(words) ? undefined : words);
  if (date === undefined && title === undefined) return undefined;
  const change =
    date === undefined ? { title } : { due: inSameMonth(words, date, { due: task["due"], timeZone }) };
  return [{ skill: "task_update", args: { id, ...change } }];
}

const DAY_OF_MONTH = /^(?:on\s+)?(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)$/iu;

/**
 * "The 15th" in place of 12 January is 15 January, if that is still to come; any other date as it is. A time counts in the month
 * that it has in the time zone of the person.
 */
function inSameMonth(
  words: string,
  date: string,
  { due, timeZone }: { due: unknown; timeZone: string },
): string {
  const day = DAY_OF_MONTH.exec(words.trim())?.[1];
  if (day === undefined || typeof due !== "string") return date;
  const dueDay = due.includes("T") ? dayOf({ now: new Date(due), timeZone }) : due;
  const same = `${dueDay.slice(0, 8)}${day.padStart(2, "0")}`;
  const exists = new Date(`${same}T00:00:00Z`).getUTCDate() === Number(day);
  return exists && same > date.slice(0, 10) ? same : date;
}

/** Corrects a remembered sentence; the person chooses where several corrections are possible. */
export function amendMemory(
  { id, content }: { id: unknown; content: unknown },
  { words }: Correction,
): FollowingCall[] | undefined {
  // "No, it's fine" corrects nothing.
  if (REMARK.test(words.trim())) return undefined;
  const [text, ...others] = typeof content === "string" ? correctedFacts(content, words) : [];
  if (typeof id !== "string" || text === undefined) return undefined;
  const choices = others.length > 0 ? { choices: { text: [text, ...others] } } : {};
  return [{ skill: "memory_remember", args: { text, replaces: id }, ...choices }];
}

export const splitAtSpaces = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");
const isNumber = (text: string): boolean => /^\d[\d.,]*$/u.test(text);

/**
 * Puts a correction in its place in a text: a number in place of the only one, and a single word, or the last word with
 * another before it ("oat milk"), in place of the last. Undefined for anything else.
 */
function withPart(text: string, correction: string): string | undefined {
  const [last, ...before] = splitAtSpaces(text).toReversed();
  const words = splitAtSpaces(correction);
  const first = words[0] ?? "";
  const numbers = splitAtSpaces(text).filter(isNumber);
  if (words.length === 1 && isNumber(first))
    return numbers.length === 1 ? text.replace(numbers[0] ?? "", () => first) : undefined;
  const isLastWithAnother = words.length === 2 && words[1]?.toLowerCase() === last?.toLowerCase();
  if (before.length === 0 || (words.length > 1 && !isLastWithAnother)) return undefined;
  // "6 apples" in place of "3 apples" replaces the number, too.
  const kept = words.length === 2 && isNumber(first) && isNumber(before[0] ?? "") ? before.slice(1) : before;
  return [...kept.toReversed(), ...words].join(" ");
}

const COPULA = "(?:is|are|was|were)";
const VERB = `(?:${COPULA}|has|have|had|likes?|loves?|hates?|lives?|works?|needs?|costs?|goes|comes?|takes?|moved|starts?|ends?)`;
/** Where the next statement of a sentence begins: "…, and lunch is at 12". */
const NEXT_STATEMENT = new RegExp(
  `(?:\\s*[;,]\\s*(?:(?:and|but)\\s+)?|\\s+(?:and|but)\\s+)(?=(?:[\\p{L}’'-]+\\s+){0,4}${VERB}\\s)`,
  "giu",
);
const PREDICATE = new RegExp(`^(.*\\s${COPULA}\\s+)(\\S.*?)([.!]?)$`, "isu");
const FINAL_COPULA = new RegExp(`\\s${COPULA}\\s+$`, "iu");
const REPEATED_SUBJECT = new RegExp(`^(?:it|that|this|he|she|they)(?:['’]s|['’]re|\\s+${COPULA})\\s+`, "iu");
export const PREPOSITION = /^(?:on|at|in|by|from|under|behind|near|with)\s+/iu;
const NEGATION = /\b(?:not|no longer|never|none|neither)\b|n['’]t\b/iu;
/** "The boat" and "our boat" are the same boat if the person has mentioned only one. */
const DETERMINER = /^(?:the|my|our)$/iu;
const PRONOUN = /^(?:he|she|it|they|that|this)$/iu;

/** Corrects one statement; undefined where the correction fits no place in it. */
type CorrectStatement = (statement: string, correction: string) => string | undefined;

/**
 * Corrects a remembered sentence: "it is 4712", "4712" and "Klara lives in Oslo" change what one of its statements says.
 * Returns each possible correction; none where the words fit no place, or deny something.
 */
export function correctedFacts(
  fact: string,
  correction: string,
  correct: CorrectStatement = correctedStatement,
): string[] {
  if (NEGATION.test(correction)) return [];
  const parts = statementsIn(fact);
  if (parts.length > 1) return inStatements(fact, parts, correction, correct);
  const starts = [
    0,
    ...[...fact.matchAll(NEXT_STATEMENT)].map(({ 0: joint, index }) => index + joint.length),
  ];
  const ends = [...[...fact.matchAll(NEXT_STATEMENT)].map(({ index }) => index), fact.length];
  const found = starts.flatMap((start, index) => {
    const corrected = correct(fact.slice(start, ends[index]), correction);
    return corrected === undefined ? [] : [fact.slice(0, start) + corrected + fact.slice(ends[index])];
  });
  return [...new Set(found)];
}

/** Corrects one of the statements of a fact and leaves the others as they are. */
function inStatements(
  fact: string,
  parts: readonly string[],
  correction: string,
  correct: CorrectStatement,
): string[] {
  let from = 0;
  const found = parts.flatMap((part) => {
    const index = fact.indexOf(part, from);
    from = index + part.length;
    const corrected = correct(part, correction);
    return corrected === undefined ? [] : [fact.slice(0, index) + corrected + fact.slice(from)];
  });
  return [...new Set(found)];
}

/** "Mia wears a size three": a name and a verb in the present, about nobody that the statement names. */
const OWN_SUBJECT =
  /^\p{Lu}\p{Ll}+(?:\s\p{Lu}\p{Ll}+)?\s+(?:now\s+|also\s+)?\p{Ll}{2,}s\s+(?:an?|the|my|our|his|her|their|in|at|on|to|with|for|\p{L}+ing|\d)\b/u;

function correctedStatement(statement: string, correction: string): string | undefined {
  const replaced = withNewPredicate(statement, correction);
  if (replaced !== undefined) return replaced;
  const value = correction.replace(REPEATED_SUBJECT, "").trim();
  // A sentence with its own subject is about something else.
  if (new RegExp(`\\s${VERB}\\s`, "iu").test(` ${value} `)) return undefined;
  if (isNumber(value) || OWN_SUBJECT.test(value))
    return isNumber(value) ? withPart(statement, value) : undefined;
  const [, subject, oldWords = "", mark = ""] = PREDICATE.exec(statement) ?? [];
  if (subject === undefined) return withPart(statement, value);
  if (hasVerb(subject.replace(FINAL_COPULA, ""))) return undefined;
  const preposition = PREPOSITION.test(value) ? "" : (PREPOSITION.exec(oldWords)?.[0] ?? "");
  return `${subject}${preposition}${value}${mark}`;
}

/** Replaces "phone number" and "mobile" by "number". */
const withSameNumberWord = (words: readonly string[]): string[] =>
  words
    .join(" ")
    .toLowerCase()
    .replaceAll(/\b(?:phone|telephone|mobile|cell)(?: number)?(?![\p{L}'’])/gu, "number")
    .split(" ");

/** True if the words name the known subject, or only refer to it. */
export function isSameSubject(words: readonly string[], known: readonly string[]): boolean {
  const knownWords = withSameNumberWord(known);
  return withSameNumberWord(words).every(
    (word) => PRONOUN.test(word) || DETERMINER.test(word) || knownWords.includes(word),
  );
}

/**
 * "she lives in Oslo" or "Klara lives in Oslo" says something else of the same subject with the same verb: the words up to the
 * verb stay, and what follows is replaced. Undefined for a correction that is no such sentence.
 */
export function withNewPredicate(statement: string, correction: string): string | undefined {
  const [oldWords, newWords] = [splitAtSpaces(statement), splitAtSpaces(correction)];
  const verb = newWords.findIndex((word, index) => index > 0 && oldWords.indexOf(word) > 0 && hasVerb(word));
  const position = oldWords.indexOf(newWords[verb] ?? "");
  const isSubject = isSameSubject(newWords.slice(0, verb), oldWords.slice(0, position));
  if (verb < 1 || position < 1 || !isSubject || verb === newWords.length - 1) return undefined;
  // Do not join the subject of one statement with the verb of another.
  const before = oldWords.slice(0, position).join(" ");
  // In "Mirja has paid", the verb "has" is an auxiliary: it does not say what she has.
  if (
    isPastForm(oldWords[position + 1] ?? "") !== isPastForm(newWords[verb + 1] ?? "") &&
    /^ha(?:s|ve|d)$/iu.test(newWords[verb] ?? "")
  )
    return undefined;
  if (hasVerb(before) || before.includes(",")) return undefined;
  return [...oldWords.slice(0, position), ...newWords.slice(verb)].join(" ");
}
