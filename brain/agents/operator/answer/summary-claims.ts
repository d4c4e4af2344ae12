import { blank, CITATION, stem, withoutNames } from "./mentions.ts";
import { type DayMention, quantitiesIn, isCalendarName } from "./quantities.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import { SMALL } from "./number-arithmetic.ts";
import { GERMAN } from "./vocabulary.ts";

/** A sentence of a summary that states something that the text does not state. */
export interface UnshownSentence {
  text: string;
  start: number;
  end: number;
  /** The figures, days and names that the text does not have. */
  unshown: string[];
}

/** The sentences of a summary that state a figure, a day or a name that is not in the text, in order. */
export function unshownSentences(summary: string, text: string): UnshownSentence[] {
  const source = sourceOf(text);
  const names = hasWordsOf(summary, source.words) && !GERMAN.test(summary);
  return sentencesOf(summary).flatMap((sentence) => {
    const unshown = [...unshownFigures(sentence, source), ...(names ? unshownNames(sentence, source) : [])];
    const { text: statement, start, end } = sentence;
    return unshown.length === 0 ? [] : [{ text: statement, start, end, unshown: [...new Set(unshown)] }];
  });
}

/** A summary without some of its sentences. */
export const withoutSentences = (
  summary: string,
  sentences: readonly Pick<UnshownSentence, "start" | "end">[],
): string =>
  sentences
    .toReversed()
    .reduce((text, { start, end }) => `${text.slice(0, start)}${text.slice(end)}`, summary)
    .replaceAll(/ {2,}/gu, " ")
    .replaceAll(/^\s*[-*•]?\s*$\n?/gmu, "")
    .trim();

interface Source {
  numbers: ReadonlySet<number>;
  days: readonly DayMention[];
  times: ReadonlySet<number>;
  /** Stems of all words. */
  words: ReadonlySet<string>;
}

const WORD = /\p{L}+/gu;

function sourceOf(text: string): Source {
  const numbers = new Set<number>();
  const days: DayMention[] = [];
  const times = new Set<number>();
  for (const line of text.split("\n")) {
    const read = quantitiesIn(line);
    const values = read.numbers.map((mention) => mention.values);
    for (const value of values.flat()) numbers.add(value);
    for (const value of derivedFrom(values)) numbers.add(value);
    days.push(...read.days);
    for (const { minutes } of read.times) times.add(minutes);
    for (const { year, month, day } of read.days)
      for (const value of [year, month, day]) if (value !== undefined) numbers.add(value);
    for (const [digits] of line.matchAll(/\d+/gu)) numbers.add(Number(digits));
  }
  const words = new Set((text.toLowerCase().match(WORD) ?? []).map(stem));
  return { numbers, days, times, words };
}

/** Longer lines are not sentences but tables, whose figures make any sum; in numbers. */
const MAX_OPERANDS = 8;

/** Sums and differences of two numbers of one line: "from 18,400 to 23,950" is a rise of 5,550. */
function derivedFrom(numbers: readonly (readonly number[])[]): number[] {
  if (numbers.length > MAX_OPERANDS) return [];
  return numbers.flatMap((values, index) =>
    numbers
      .slice(index + 1)
      .flatMap((others) => values.flatMap((a) => others.flatMap((b) => [a + b, Math.abs(a - b)]))),
  );
}

function unshownFigures({ text }: Sentence, { numbers, days, times }: Source): string[] {
  const plain = withoutNames(text.replaceAll(CITATION, blank));
  const read = quantitiesIn(plain);
  const isKnown = (value: number): boolean =>
    numbers.has(value) || (value <= SMALL && Number.isInteger(value));
  return [
    ...read.numbers
      .filter(({ values, isHedged }) => !isHedged && !values.some(isKnown))
      .map((mention) => mention.text),
    ...read.days.filter((day) => !days.some((other) => isSameDay(day, other))).map((day) => day.text.trim()),
    ...read.times.filter(({ minutes }) => !times.has(minutes)).map((time) => time.text),
  ];
}

/** True when two mentions agree in what both name. A day without its month says nothing that can be compared. */
const isSameDay = (one: DayMention, other: DayMention): boolean =>
  (["year", "month", "day"] as const).every(
    (part) => one[part] === undefined || other[part] === undefined || one[part] === other[part],
  );

/** The share of the words of a summary that the text has, if both are in one language. */
const MIN_SHARE = 0.4;

function hasWordsOf(summary: string, words: ReadonlySet<string>): boolean {
  const stems = (summary.toLowerCase().match(WORD) ?? []).map(stem);
  return stems.filter((word) => words.has(word)).length >= stems.length * MIN_SHARE;
}

/** Capitalized words inside a sentence that the text does not have. */
function unshownNames({ text }: Sentence, { words }: Source): string[] {
  return [...text.matchAll(/(?<=[\p{Ll}\d,]\s)\p{Lu}\p{Ll}{2,}(?!\p{L})/gu)]
    .map(([name]) => name)
    .filter((name) => !words.has(stem(name.toLowerCase())) && !isCalendarName(name));
}
