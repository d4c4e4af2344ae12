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

const PREDICATE = /^(.*\s(?:is|are|was|were)\s+)(\S.*?)([.!]?)$/isu;
const SAID_AGAIN = /^(?:it|that|this|he|she|they)(?:['’]s|['’]re|\s+(?:is|are|was|were))\s+/iu;

/**
 * Corrects a remembered sentence: "it is 4712" and "4712" say what it says about its subject. Undefined where the words fit
 * no place in the sentence.
 */
export function correctedFact(fact: string, correction: string): string | undefined {
  const value = correction.replace(SAID_AGAIN, "").trim();
  const [, subject, , mark = ""] = PREDICATE.exec(fact) ?? [];
  if (subject !== undefined) return `${subject}${value}${mark}`;
  const text = amendedText(fact, value);
  return text === value ? undefined : text;
}
