import { type ScratchpadEntry } from "@metahuman/core/contract/run";
import { type Clock, wallTimeOf } from "@metahuman/core/language/dates/clock";
import { isRecord } from "@metahuman/core/text/is-record";
import { stem, significantWords } from "./mentions.ts";
import { type NumberMention, type Today, dayNumber, readNumericDate, quantitiesIn } from "./quantities.ts";
import { measureOf } from "./units.ts";
import { COUNTED } from "./vocabulary.ts";

/** The numbers, days, times and texts of the evidence. */
export interface Facts {
  numbers: Set<number>;
  /** Every text. Its lines, items and words are counted on demand. */
  texts: string[];
  /** The dimension of each number; `""` if its text does not state one. */
  measures: Map<number, Set<string>>;
  /** Lengths of lists, and how many of their members share a value. */
  counts: Set<number>;
  /** How many words the texts have. */
  words: Set<number>;
  /** How many calls of a tool were made, succeeded and failed. */
  calls: Set<number>;
  /** Numbers before a countable noun in the evidence. */
  counted: Set<number>;
  /** Numbers by the stem of their field's name. */
  fields: Map<string, Set<number>>;
  /** Numbers that belong together: a column, a line, a text. */
  groups: number[][];
  /** `year-month-day` and `month-day`, months from 1. */
  days: Set<string>;
  dayNumbers: Set<number>;
  monthDays: Set<number>;
  months: Set<number>;
  weekdays: Set<number>;
  /** Minutes of the day. */
  times: Set<number>;
  /** Days from today: 1 for tomorrow. */
  relative: Set<number>;
}

/** Collects the facts of the observed calls and of other texts, such as the request. */
export function factsOf(
  clock: Clock,
  observed: readonly ScratchpadEntry[],
  sourceTexts: readonly string[],
  today: Today,
): Facts {
  const facts: Facts = {
    numbers: new Set(),
    texts: [],
    measures: new Map(),
    counts: new Set(),
    words: new Set(),
    calls: new Set(),
    counted: new Set(),
    fields: new Map(),
    groups: [],
    days: new Set(),
    dayNumbers: new Set(),
    monthDays: new Set(),
    months: new Set(),
    weekdays: new Set(),
    times: new Set(),
    relative: new Set([0]),
  };
  addDay(facts, today.year, ...monthDay(today.number));
  facts.groups.push(sourceTexts.flatMap((text) => addText(facts, text, today, clock)));
  const outcomes = observed.filter(({ action }) => action !== undefined);
  const counts = new Map<string, number>();
  for (const { action, observation } of outcomes) {
    const outcome = `${action?.tool ?? ""} ${String(observation?.success)}`;
    for (const key of [outcome, String(observation?.success), action?.tool ?? ""])
      counts.set(key, (counts.get(key) ?? 0) + 1);
    addValue(facts, action?.args, today, clock);
    if (observation?.outputs) addValue(facts, observation.outputs, today, clock);
    else facts.groups.push(addText(facts, observation?.content ?? "", today, clock));
    if (observation?.error) addText(facts, observation.error.message, today, clock);
  }
  for (const times of counts.values()) {
    facts.calls.add(times);
    facts.counts.add(times);
  }
  return facts;
}

export function addNumber(facts: Facts, value: number, unit: string): void {
  for (const one of value < 0 ? [value, -value] : [value]) {
    facts.numbers.add(one);
    const measure = measureOf(unit);
    const known = facts.measures.get(one);
    if (known) known.add(measure);
    else facts.measures.set(one, new Set([measure]));
  }
}

function monthDay(number: number): [month: number, day: number] {
  const date = new Date(number * 86_400_000);
  return [date.getUTCMonth() + 1, date.getUTCDate()];
}

function addDay(facts: Facts, year: number, month: number, day: number): void {
  const number = dayNumber(year, month, day);
  facts.days.add(`${String(year)}-${String(month)}-${String(day)}`).add(`${String(month)}-${String(day)}`);
  facts.dayNumbers.add(number);
  facts.monthDays.add(day);
  facts.months.add(month);
  facts.weekdays.add(new Date(number * 86_400_000).getUTCDay());
}

/** A date with a time, as in ISO 8601. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/u;

/** "func-20261130-abc123": its digits are not a quantity. */
const IDENTIFIER = /^[a-z]+-[\w-]*\d{6}[\w-]*$/iu;

/** Adds the facts of a text. Returns its numbers. */
function addText(facts: Facts, text: string, today: Today, clock: Clock): number[] {
  if (text === "" || IDENTIFIER.test(text)) return [];
  if (INSTANT.test(text) && text.length < 30) {
    addInstant(facts, new Date(text), clock);
    return [];
  }
  const [, monthOnly, dayOnly] = MONTH_AND_DAY.exec(text) ?? [];
  if (Number(monthOnly) >= 1 && Number(monthOnly) <= 12)
    addDay(facts, today.year, Number(monthOnly), Number(dayOnly));
  const json = parsedJson(text);
  if (isRecord(json))
    for (const record of [json, ...Object.values(json).filter(isRecord)])
      facts.counts.add(Object.keys(record).length);
  if (json !== undefined) addValue(facts, json, today, clock);
  const read = quantitiesIn(text.replaceAll(FILE_NAME, " "));
  for (const { year, month, day } of read.days) {
    if (day === undefined) {
      if (month !== undefined) facts.months.add(month);
      if (year !== undefined) facts.numbers.add(year);
    } else if (month === undefined) facts.monthDays.add(day);
    else {
      addDay(facts, year ?? today.year, month, day);
      if (year !== undefined) facts.numbers.add(year);
    }
  }
  for (const month of read.monthsNamed) facts.months.add(month);
  for (const weekday of read.shortWeekdays) facts.weekdays.add(weekday);
  for (const { weekday } of read.weekdays) {
    facts.weekdays.add(weekday);
    // The next day of that name, and the one a week later: "on Tuesday" and "Tuesday next week".
    const ahead = (weekday - today.weekday + 7) % 7;
    for (const days of [ahead, ahead + 7]) {
      const [month, day] = monthDay(today.number + days);
      addDay(facts, new Date((today.number + days) * 86_400_000).getUTCFullYear(), month, day);
    }
  }
  for (const { days } of read.relative) {
    facts.relative.add(days);
    const [month, day] = monthDay(today.number + days);
    addDay(facts, new Date((today.number + days) * 86_400_000).getUTCFullYear(), month, day);
  }
  for (const { minutes } of read.times) facts.times.add(minutes);
  // "212/340": a part and the whole.
  for (const [, part, whole] of text.includes("/") ? text.matchAll(FRACTION) : []) {
    for (const value of [Number(part), Number(whole)]) addNumber(facts, value, "");
    facts.groups.push([Number(part), Number(whole)]);
    const { day, month } = readNumericDate(part, whole, undefined) ?? {};
    if (day !== undefined && month !== undefined) addDay(facts, today.year, month, day);
  }
  const numbers = read.numbers.flatMap((mention) => {
    for (const value of mention.values) addNumber(facts, value, mention.unit);
    if (isCounted(mention)) for (const value of mention.values) facts.counted.add(value);
    const [value] = mention.values;
    return value === undefined ? [] : [value];
  });
  facts.texts.push(text);
  return numbers;
}

const FRACTION = /(?<![\d/.-])(\d{1,6})\s?\/\s?(\d{1,6})(?![\d/.-])/g;

/** The name of a file: its digits are not a quantity. */
const FILE_NAME =
  /(?<![\p{L}\p{N}_./-])[\p{L}\p{N}_./-]*\.(?:md|txt|json|csv|ya?ml|log|html?|xml|pdf|docx?|xlsx?|png|jpe?g|ts|js|py|sh)(?![\p{L}\p{N}])/giu;

const MONTH_AND_DAY = /^(\d{2})-(\d{2})$/u;

/** The value of a text that is a JSON object or array; undefined for any other text. */
export function parsedJson(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/u.test(trimmed) || trimmed.length > 100_000) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function addInstant(facts: Facts, at: Date, clock: Clock): void {
  if (Number.isNaN(at.getTime())) return;
  addDay(facts, at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate());
  facts.times.add(at.getUTCHours() * 60 + at.getUTCMinutes());
  const local = wallTimeOf(at, clock.timeZone);
  addDay(facts, local.year, local.month, local.day);
  facts.times.add(local.hour * 60 + local.minute);
}

/** True for a number before a countable noun: "3 tasks", "two open ones". */
export function isCounted({ after, unit }: NumberMention): boolean {
  if (unit === "" || /^[%€$£°]/u.test(unit)) return false;
  if (/^\s*(?:per|a|pro|je|par|por)\s/u.test(after)) return false;
  const [phrase = ""] = after.split(
    /[.,;:!?()[\]]|(?<=\S\s+)(?:of|in|on|from|for|with|by|per|to|at|von|aus|mit|für|pro|de|du|des|dans|pour|avec|del|con|para|por|en)\s/u,
    1,
  );
  return COUNTED.test(phrase.trim().split(/\s+/u).slice(0, 3).join(" "));
}

/** Adds the facts of a value of arguments or outputs, recursively. */
function addValue(facts: Facts, value: unknown, today: Today, clock: Clock): void {
  if (typeof value === "number") addNumber(facts, value, "");
  else if (typeof value === "string") facts.groups.push(addText(facts, value, today, clock));
  else if (Array.isArray(value)) {
    addList(facts, value);
    for (const member of value) addValue(facts, member, today, clock);
  } else if (isRecord(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (key === "id" || key.endsWith("Id")) continue;
      const weekday = weekdayOf(key);
      if (weekday !== undefined) facts.weekdays.add(weekday);
      if (typeof part === "number" && COUNT_KEY.test(key)) facts.counted.add(part);
      if (typeof part === "number")
        for (const name of significantWords(key).map(stem))
          facts.fields.set(name, (facts.fields.get(name) ?? new Set()).add(part));
      if (typeof part === "number" && BYTES_KEY.test(key)) addNumber(facts, part, "bytes");
      else addValue(facts, part, today, clock);
    }
    const numbers = Object.values(value).filter((part) => typeof part === "number");
    if (numbers.length > 1) facts.groups.push(numbers);
  }
}

const WEEKDAY_KEYS: readonly RegExp[] = ["sun|so", "mon?", "tue|di", "wed|mi", "thu|do", "fri?", "sat?"].map(
  (start) =>
    new RegExp(
      `^(?:${start})(?:s?day|r|rs|s|n?tag|nes|urs|nnabend|ttwoch|nnerstag|enstag|eitag|mstag)?$`,
      "iu",
    ),
);

/** The weekday that a field is named after, Sunday being 0. */
function weekdayOf(key: string): number | undefined {
  if (key.length > 10) return undefined;
  const found = WEEKDAY_KEYS.findIndex((pattern) => pattern.test(key));
  return found === -1 ? undefined : found;
}

/** Names of fields that hold a size. */
const BYTES_KEY = /bytes|size$/iu;

/** Names of fields that hold a count. */
const COUNT_KEY = /(?:total|count|number|length|lines|words|rows|n)$/iu;

/** Adds the length of a list, the numbers of members that share a value or have a field, and its numeric columns. */
function addList(facts: Facts, list: readonly unknown[]): void {
  facts.counts.add(list.length);
  const records = list.filter(isRecord);
  if (records.length === 0) {
    const numbers = list.filter((member) => typeof member === "number");
    if (numbers.length > 1) facts.groups.push(numbers);
    return;
  }
  const flat = records.map((record) => ({ ...record, ...Object.values(record).filter(isRecord)[0] }));
  for (const key of new Set(flat.flatMap((record) => Object.keys(record)))) {
    const values = flat.flatMap((record) => (record[key] === undefined ? [] : [record[key]]));
    const numbers = values.filter((part) => typeof part === "number");
    if (numbers.length > 1) facts.groups.push(numbers);
    if (
      key === "id" ||
      key.endsWith("At") ||
      key === "modified" ||
      key === "description" ||
      numbers.length > 0
    )
      continue;
    if (key === "path" || key === "name") addSharedWords(facts, values.map(String));
    for (const shares of keysOf(key, values)) addShares(facts, shares, list.length);
    if (values.length < list.length) facts.counts.add(values.length).add(list.length - values.length);
  }
}

/** Adds how many names have a word in common. */
function addSharedWords(facts: Facts, names: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const name of names)
    for (const word of new Set(significantWords(name))) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const times of counts.values()) if (times > 1) facts.counts.add(times);
}

/** The keys by which members are grouped: file extension and folder for paths, the text for everything else. */
function keysOf(key: string, values: readonly unknown[]): string[][] {
  if (key !== "path" && key !== "name")
    return [values.flatMap((value) => (Array.isArray(value) ? value.map(String) : [String(value)]))];
  const paths = values.map(String);
  return [
    paths.map((path) => /\.[a-z0-9]+$/iu.exec(path)?.[0] ?? ""),
    paths.map((path) => path.split("/").slice(0, -1).join("/")),
  ];
}

function addShares(facts: Facts, values: readonly string[], total: number): void {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const shares = [...counts.values()];
  if (shares.length === 1 || shares.length === total) {
    for (const share of shares) facts.counts.add(share);
    return;
  }
  for (const [index, share] of shares.entries()) {
    facts.counts.add(share).add(total - share);
    for (const other of shares.slice(index + 1, 8)) facts.counts.add(share + other);
  }
}
