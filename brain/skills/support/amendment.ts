import type { Correction, FollowingCall, MadeCall } from "@metahuman/core/language/grammar/phrase";
import { isRecord } from "@metahuman/core/text/is-record";

/** Corrects the date, or else the title, of the task that a call made or changed. */
export function amendTask(
  { outputs: { id, task } }: MadeCall,
  { words, date }: Correction,
): FollowingCall[] | undefined {
  if (typeof id !== "string" || !isRecord(task) || typeof task["title"] !== "string") return undefined;
  const change = date === undefined ? { title: amendedText(task["title"], words) } : { due: date };
  return [{ skill: "task_update", args: { id, ...change } }];
}

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");
const isNumber = (text: string): boolean => /^\d[\d.,]*$/u.test(text);

/**
 * Puts a correction in its place in a text: a number in place of the only one, and a single word, or the last word with
 * another before it ("oat milk"), in place of the last. Anything else is taken as the whole text.
 */
function amendedText(text: string, correction: string): string {
  const [last, ...before] = wordsOf(text).toReversed();
  const words = wordsOf(correction);
  const first = words[0] ?? "";
  const numbers = wordsOf(text).filter(isNumber);
  if (words.length === 1 && isNumber(first) && numbers.length === 1)
    return text.replace(numbers[0] ?? "", () => first);
  const isLastWord = words.length === 1 && !isNumber(first);
  const isLastWordWithAnother = words.length === 2 && words[1]?.toLowerCase() === last?.toLowerCase();
  return before.length > 0 && (isLastWord || isLastWordWithAnother)
    ? [...before.toReversed(), ...words].join(" ")
    : correction;
}

/** The end of what a sentence says about its subject: another statement follows. */
const FURTHER = /,?\s+(?:and|but)\s+(?=(?:is|are|was|were|has|have|had|likes?|lives?|works?)\b)/iu;
const NAMES_SUBJECT = /^(?:he|she|it|they|that|this)$/iu;

/**
 * "she lives in Oslo" or "Klara lives in Oslo" says of the subject of a sentence something else with the same verb: its words up
 * to the verb stay, and what follows is replaced. Undefined for a correction that is no such sentence.
 */
function saidAnew(fact: string, correction: string): string | undefined {
  const [told, anew] = [wordsOf(fact), wordsOf(correction)];
  const verb = anew.findIndex((word, at) => at > 0 && told.indexOf(word) > 0);
  const place = told.indexOf(anew[verb] ?? "");
  const subject = anew.slice(0, verb);
  const isSubject = subject.every((word) => NAMES_SUBJECT.test(word) || told.slice(0, place).includes(word));
  if (verb < 1 || place < 1 || !isSubject || verb === anew.length - 1) return undefined;
  const rest = told.slice(place).join(" ");
  const further = FURTHER.exec(rest);
  const kept = further === null ? "" : rest.slice(further.index);
  return `${told.slice(0, place).join(" ")} ${anew.slice(verb).join(" ")}${kept}`;
}

const PREDICATE = /^(.*\s(?:is|are|was|were)\s+)(\S.*?)([.!]?)$/isu;
const SAID_AGAIN = /^(?:it|that|this|he|she|they)(?:['’]s|['’]re|\s+(?:is|are|was|were))\s+/iu;

/**
 * Corrects a remembered sentence: "it is 4712" and "4712" say what it says about its subject. Undefined where the words fit
 * no place in the sentence.
 */
export function correctedFact(fact: string, correction: string): string | undefined {
  const said = saidAnew(fact, correction);
  if (said !== undefined) return said;
  const value = correction.replace(SAID_AGAIN, "").trim();
  const [, subject, , mark = ""] = PREDICATE.exec(fact) ?? [];
  if (subject !== undefined) return `${subject}${value}${mark}`;
  const text = amendedText(fact, value);
  return text === value ? undefined : text;
}
