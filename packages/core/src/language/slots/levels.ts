import { isTypo } from "../tokens/spelling.ts";
import type { Token } from "../tokens/tokens.ts";
import { givenValue, type SlotInput, type SlotMatch } from "./slot-reader.ts";

/** The phrases of each value. Marks are words, too: `! !`. "Priority" also matches "prio" and "priority:". */
type PhrasesByValue = readonly (readonly [value: string, ...phrases: string[]])[];

/** The phrases by their first words, in order. */
type Levels = ReadonlyMap<string, readonly { value: string; words: readonly string[] }[]>;

function byFirstWord(phrasesByValue: PhrasesByValue): Levels {
  const all = phrasesByValue.flatMap(([value, ...phrases]) => {
    const withColon = phrases.flatMap((one) => [one, one.replace(/^priority /u, "priority : ")]);
    const withShort = withColon.flatMap((one) => [one, one.replace("priority", "prio")]);
    return [...new Set(withShort)].map((one) => ({ value, words: one.split(" ") }));
  });
  return Map.groupBy(all, ({ words }) => words[0] ?? "");
}

const PRIORITIES = byFirstWord([
  [
    "P0",
    "p0",
    "priority 0",
    "priority zero",
    "urgent",
    "urgently",
    "asap",
    "top priority",
    "highest priority",
    "critical priority",
    "urgent priority",
    "priority urgent",
    "priority critical",
    "priority highest",
    "very urgent",
    "very high priority",
    "critical",
    "! ! !",
    "highest",
    "top",
  ],
  [
    "P1",
    "p1",
    "priority 1",
    "priority one",
    "high priority",
    "high-priority",
    "priority high",
    "important",
    "! !",
    "very important",
    "high",
    "higher",
    "higher priority",
  ],
  [
    "P2",
    "p2",
    "priority 2",
    "priority two",
    "normal priority",
    "medium priority",
    "priority normal",
    "priority medium",
    "medium",
    "normal",
    "default priority",
    "regular priority",
  ],
  [
    "P3",
    "p3",
    "priority 3",
    "priority three",
    "low priority",
    "low-priority",
    "priority low",
    "lowest priority",
    "priority lowest",
    "unimportant",
    "not urgent",
    "not important",
    "low",
    "lower",
    "lowest",
    "lower priority",
  ],
]);

const STATUSES = byFirstWord([
  ["done", "done", "complete", "completed", "finished", "closed", "all done", "resolved"],
  [
    "in_progress",
    "in progress",
    "in-progress",
    "in_progress",
    "started",
    "ongoing",
    "underway",
    "under way",
    "being worked on",
    "doing",
    "wip",
  ],
  ["blocked", "blocked", "on hold", "stuck", "waiting", "paused"],
  [
    "todo",
    "todo",
    "to do",
    "open",
    "not done",
    "undone",
    "pending",
    "not started",
    "incomplete",
    "unfinished",
    "reopened",
    "not finished",
    "not complete",
  ],
  ["cancelled", "cancelled", "canceled", "dropped", "abandoned", "not needed"],
]);

function startsWith(tokens: readonly Token[], from: number, to: number, words: readonly string[]): boolean {
  if (from + words.length > to) return false;
  return words.every(
    (word, index) => tokens[from + index]?.text === word && tokens[from + index]?.kind !== "quoted",
  );
}

function* readLevels({ tokens, from, to }: SlotInput, levels: Levels): Iterable<SlotMatch> {
  const found = (levels.get(tokens[from]?.text ?? "") ?? [])
    .filter(({ words }) => startsWith(tokens, from, to, words))
    .map(({ value, words }): SlotMatch => ({
      end: from + words.length,
      value: givenValue(value),
      typed: words.length,
      free: 0,
    }));
  yield* found.sort((one, other) => other.end - one.end);
}

/** Adjectives that, after a title, need a comma or "priority" to count as a priority instead of title words. */
const WEAK_AFTER_TITLE: ReadonlySet<string> = new Set([
  "high",
  "higher",
  "low",
  "lower",
  "lowest",
  "highest",
  "top",
  "medium",
  "normal",
  "important",
  "unimportant",
  "critical",
]);

/** True for the marks in "List my tasks!!": at the end of a request and not after a title, they are emphasis only. */
function isEmphasis({ tokens, from, to, afterFreeText }: SlotInput, end: number): boolean {
  const first = tokens[from];
  return first?.text === "!" && !first.spaced && !afterFreeText && end === to;
}

/** The words before "priority", so that "hihg priority" is one. */
const MISSPELLED: readonly string[] = ["high", "highest", "normal", "medium", "urgent", "critical"];

/** The input with the word before "priority" as it is spelled. */
function withSpelledPriority(input: SlotInput): SlotInput {
  const { tokens, from } = input;
  const [first, next] = [tokens[from], tokens[from + 1]];
  const text = MISSPELLED.find((word) => isTypo(first?.text ?? "", word));
  const isLevel = first?.kind === "word" && /^prio(?:rity)?$/u.test(next?.text ?? "");
  return isLevel && text !== undefined ? { ...input, tokens: tokens.with(from, { ...first, text }) } : input;
}

export function* readPriority(written: SlotInput): Iterable<SlotMatch> {
  const input = withSpelledPriority(written);
  const { tokens, from, to, afterFreeText } = input;
  const first = tokens[from]?.text ?? "";
  for (const match of readLevels(input, PRIORITIES)) {
    const isBare = match.end - from === 1 && WEAK_AFTER_TITLE.has(first);
    if (isBare && afterFreeText && tokens[from - 1]?.kind !== "mark") continue;
    if (match.end < to && tokens[match.end]?.text === "!") continue;
    if (isEmphasis(input, match.end)) continue;
    yield match;
  }
}

export function* readStatus(input: SlotInput): Iterable<SlotMatch> {
  yield* readLevels(input, STATUSES);
}
