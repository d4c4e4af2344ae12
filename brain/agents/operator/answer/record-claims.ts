import { wholeWords } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, withoutNames } from "./mentions.ts";
import { SMALL } from "./number-arithmetic.ts";
import { quantitiesIn } from "./quantities.ts";
import { type Place, type Table, labelsIn, numberKey } from "./records.ts";
import { CONDITIONAL, DIFFERENCE, NEGATION } from "./vocabulary.ts";
import { bareWords } from "@metahuman/core/text/words";

/** Words of sentences that may combine values of several records. */
const COMPARES = new RegExp(
  wholeWords(
    "than|while|whereas|instead|compared|versus|vs|before|after|unlike|als|während|statt|gegenüber|vor",
    "nach|que|tandis|alors|mientras|dan|terwijl|än|medan|mentre|rispetto",
  ),
  "iu",
);

/** Problems such as "Ben paid for dinner" when no record contains both Ben and dinner. */
export function mismatchedCells(text: string, { tables, lines, text: known }: PreparedEvidence): string[] {
  if (tables.length === 0) return [];
  if (COMPARES.test(text) || DIFFERENCE.test(text) || NEGATION.test(text) || CONDITIONAL.test(text))
    return [];
  const mentioned = keysIn(text);
  if (mentioned.size < 2) return [];
  const parts = text.split(/[,;]\s+/u).map(keysIn);
  return tables.flatMap((table) => {
    const [one, other] = separatedIn(table, mentioned, parts);
    if (one === undefined || other === undefined) return [];
    if ([one, other].some(({ value }) => isPartOfTerm(value, text, known))) return [];
    if (lines.some((line) => containsKey(line, one.value) && containsKey(line, other.value))) return [];
    return [
      `${withoutKeyMark(one.value)} and ${withoutKeyMark(other.value)} are stated together, and no observed record has both.`,
    ];
  });
}

/**
 * True if a word stands only before another one in the sentence, in a pair that the evidence has, too: "job" in "the job sheet" is no
 * value of a record.
 */
function isPartOfTerm(value: string, text: string, known: string): boolean {
  if (!/^\p{L}+$/u.test(value)) return false;
  const words =
    withoutNames(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word, index) => {
    const [next] = word === value ? contentWords(words[index + 1] ?? "") : [];
    return word !== value || (next !== undefined && known.includes(`${value} ${next}`));
  });
}

const MAX_WORDS = 5;

/** Every value that a sentence may name: sequences of words, numbers and days. */
function keysIn(text: string): Set<string> {
  const words = bareWords(text).split(" ");
  const keys = new Set<string>();
  for (let from = 0; from < words.length; from++)
    for (let to = from + 1; to <= Math.min(words.length, from + MAX_WORDS); to++)
      keys.add(words.slice(from, to).join(" "));
  const { numbers, days } = quantitiesIn(withoutNames(text));
  for (const value of numbers.flatMap(({ values }) => values)) keys.add(numberKey(value));
  for (const { month, day } of days) {
    if (day === undefined) continue;
    for (const one of month === undefined ? MONTHS : [month]) keys.add(`${String(one)}-${String(day)}`);
  }
  return keys;
}

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

const withoutKeyMark = (key: string): string => key.replace(/^=/u, "");

function containsKey(line: string, key: string): boolean {
  if (key.startsWith("=")) return line.includes(withoutKeyMark(key));
  const [, month, day] = /^(\d{1,2})-(\d{1,2})$/u.exec(key) ?? [];
  if (month !== undefined) return line.includes(`-${month.padStart(2, "0")}-${(day ?? "").padStart(2, "0")}`);
  return ` ${bareWords(line)} `.includes(` ${key} `);
}

/** Two values of different records that a sentence states together; in an enumeration of records, within one of its parts. */
function separatedIn(
  table: Table,
  mentioned: ReadonlySet<string>,
  parts: readonly ReadonlySet<string>[],
): Place[] {
  const records = parts.filter((keys) => [...keys].filter((key) => table.places.has(key)).length > 1);
  if (records.length < 2) return separatedPlaces(table, mentioned);
  return records.map((keys) => separatedPlaces(table, keys)).find(({ length }) => length > 0) ?? [];
}

/** Two mentioned values of different columns that share no row with any other mentioned value. */
function separatedPlaces({ size, places }: Table, mentioned: ReadonlySet<string>): Place[] {
  const found = [...mentioned].flatMap((key) => places.get(key) ?? []).filter(({ rows }) => rows.size < size);
  if (found.length < 2) return [];
  const alone = found.filter(
    (one) =>
      !isSmallNumber(one.value) && found.every((other) => other === one || isApart(one.rows, other.rows)),
  );
  for (const [index, one] of alone.entries())
    for (const other of alone.slice(index + 1)) if (isApart(one.columns, other.columns)) return [one, other];
  return [];
}

/** Small numbers are often counts that match a record by chance. */
const isSmallNumber = (key: string): boolean =>
  key.startsWith("=") &&
  Number(withoutKeyMark(key)) <= SMALL &&
  Number.isInteger(Number(withoutKeyMark(key)));

function isApart(some: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
  for (const one of some) if (others.has(one)) return false;
  return true;
}

/** Problems such as "seat 12 in coach 45" when the evidence has seat 45 and coach 12. */
export function wrongLabels(text: string, { labels, looseNumbers }: PreparedEvidence): string[] {
  if (labels.size === 0 || CONDITIONAL.test(text)) return [];
  return [...labelsIn(text)].flatMap(([label, numbers]) => {
    const known = labels.get(label);
    if (known === undefined) return [];
    return [...numbers]
      .filter((number) => !known.has(number) && !looseNumbers.has(number))
      .map((number) => `${label} ${String(number)} is stated, and nothing shows it.`);
  });
}
