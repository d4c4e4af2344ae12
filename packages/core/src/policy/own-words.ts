import type { TargetAction } from "./change-words.ts";
import { withoutTrailing } from "../text/words.ts";
import { asksFor, asksForChange, asksToRemember, identifyingStems, mentionsAllOf } from "./target-words.ts";

// Whether text that a model wrote for a call, such as the goal of a schedule or a fact to remember, comes from the
// person.

/** Calls that a goal may ask for only where the person asked for the same. */
const ORDERS: readonly TargetAction[] = ["delete", "move"];
const KINDS = ["task", "schedule", "memory"] as const;
const BETWEEN_PATHS = /[\s"'“”„‘’«»`<>()[\]{},;]+/u;
const PATH = /[^.][./][\p{L}\p{N}]/u;

/**
 * True if a goal comes from the person: they wrote most of its identifying words, by stem, with every path and address
 * in it, and asked for the same kinds of change.
 */
export function isOwnGoal(goal: string, texts: readonly string[]): boolean {
  const words = identifyingStems(goal);
  if (words.length === 0) return false;
  const isAskedByPerson = (isAsked: (text: string) => boolean): boolean =>
    !isAsked(goal) || texts.some(isAsked);
  return (
    2 * shareOf(words, texts) > words.length &&
    namesIn(goal).every((name) => texts.some((text) => text.toLowerCase().includes(name.toLowerCase()))) &&
    ORDERS.every((order) => isAskedByPerson((text) => asksFor(order, text))) &&
    KINDS.every((kind) => !mentionsAllOf(kind, goal) || isAskedByPerson((text) => asksForChange(kind, text)))
  );
}

/** True if the person wrote the name of the scheduled function and each of its values. */
export function isOwnFunctionCall(
  title: string,
  values: readonly string[],
  texts: readonly string[],
): boolean {
  const words = identifyingStems(title);
  const isNamed = words.length > 0 && 2 * shareOf(words, texts) > words.length;
  const written = texts.join("\n").toLowerCase();
  return isNamed && values.every((value) => written.includes(value.trim().toLowerCase()));
}

/**
 * True if a fact to remember may come from the person: they asked now to remember something, or wrote some of its
 * words. `read` is what the run has read: the person must have written the figures of the fact, and half of it if one of these texts
 * contains most of it.
 */
export function isOwnFact(
  fact: string,
  { now, texts, read }: { now: readonly string[]; texts: readonly string[]; read: readonly string[] },
): boolean {
  if (read.length === 0 || now.some(asksToRemember)) return true;
  const words = identifyingStems(fact);
  if (words.length === 0) return true;
  const own = shareOf(words, texts);
  if (!figuresIn(fact).every((figure) => texts.some((text) => figuresIn(text).includes(figure))))
    return false;
  return (
    own > 0 && (2 * own >= words.length || !read.some((text) => 2 * shareOf(words, [text]) > words.length))
  );
}

/** The numbers and times of a text: "412.50", "9:00". */
const figuresIn = (text: string): string[] => text.match(/\d+(?:[.,:/-]\d+)*/gu) ?? [];

/**
 * True if a correction of a fact comes from the person: they wrote everything that is new in it. A correction without
 * new words must be requested, in words about the old fact.
 */
export function isOwnCorrection(fact: string, old: string, texts: readonly string[]): boolean {
  const before = new Set(identifyingStems(old));
  const added = identifyingStems(fact).filter((stem) => !before.has(stem) && !NEGATIONS.has(stem));
  if (added.length > 0) return shareOf(added, texts) === added.length;
  return texts.some((text) => asksForChange("memory", text) && shareOf([...before], [text]) > 0);
}

/** Words that a model adds if the person says that something no longer applies. */
const NEGATIONS = new Set(identifyingStems("not longer anymore never now currently new instead changed"));

/** The text that contains most words of another text; undefined if none contains more than half. */
export function indexOfSource(text: string, read: readonly string[]): number | undefined {
  const words = identifyingStems(text);
  const found = read.findLastIndex((one) => 2 * shareOf(words, [one]) > words.length);
  return found < 0 ? undefined : found;
}

/** The number of the words that occur in the texts. */
function shareOf(words: readonly string[], texts: readonly string[]): number {
  const written = new Set(texts.flatMap(identifyingStems));
  return words.filter((word) => written.has(word)).length;
}

const namesIn = (text: string): string[] =>
  text
    .split(BETWEEN_PATHS)
    .filter((word) => PATH.test(word))
    .map((name) => withoutTrailing(name.replace(/^(?:https?:\/\/|(?:\.\/)?out\/(?=.))/iu, ""), /[.!?]/u));
