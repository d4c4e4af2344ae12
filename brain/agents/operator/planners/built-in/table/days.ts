import { calendarDay } from "@metahuman/core/language/dates/unclear-dates";
import type { Table } from "@metahuman/skills/fs-read/tables";
import { addDays } from "@metahuman/core/language/dates/clock";
import { SHORT_MONTHS, WEEKDAYS } from "@metahuman/core/contract/calendar-names";

// Reads and writes days in messages about tables. Messages about tables tell what happened, so "the 27th" and "4 November" are days of
// the table, or the last ones before today.

/** A table with what its columns are. */
export interface DatedTable {
  table: Table;
  kinds: readonly string[];
}

/** The day in a cell, `2026-05-03` for `3.5.2026`; undefined for any other cell. */
export function parseDayCell(cell: string): string | undefined {
  const text = cell.trim();
  if (/^\d{4}-\d{2}-\d{2}$/u.test(text)) return text;
  const [, day, month, year] = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/u.exec(text) ?? [];
  return year === undefined ? undefined : calendarDay(Number(year), Number(month), Number(day));
}

/** A day as the cells of a column write it. */
export function formatDayLikeCells({ table }: DatedTable, column: number, day: string): string {
  const example = table.rows.map((row) => (row[column] ?? "").trim()).find((cell) => cell !== "") ?? day;
  const [year = "", month = "", date = ""] = day.split("-");
  const [, first = "", mark = ""] = /^(\d{1,2})([./])/u.exec(example) ?? [];
  if (mark === "") return day;
  const isPadded = first.startsWith("0");
  const formatNumber = (text: string): string => (isPadded ? text : String(Number(text)));
  return [formatNumber(date), formatNumber(month), year].join(mark);
}

/** A day that words name, from word `from` to before word `to`. */
interface NamedDay {
  from: number;
  to: number;
  day: string;
}

const MONTH = new RegExp(String.raw`^(?:${SHORT_MONTHS.join("|")})[a-z]{0,6}$`, "u");
const DAY_NUMBER = /^(\d{1,2})(?:st|nd|rd|th)?$/u;
const ORDINAL = /^(\d{1,2})(?:st|nd|rd|th)$/u;
/** The days that words name. `today` is `YYYY-MM-DD`. */
export function findDays(words: readonly { text: string }[], table: DatedTable, today: string): NamedDay[] {
  const tableDays = collectDays(table);
  const namedDays: NamedDay[] = [];
  for (let at = 0; at < words.length; at++) {
    const day = readDayAt(words, at, { tableDays, today });
    if (day === undefined) continue;
    namedDays.push(day);
    at = day.to - 1;
  }
  return namedDays;
}

/** The days in the cells, the latest first. */
function collectDays({ table, kinds }: DatedTable): string[] {
  const columns = kinds.flatMap((kind, column) => (kind === "day" ? [column] : []));
  const days = table.rows.flatMap((row) =>
    columns.flatMap((column) => parseDayCell(row[column] ?? "") ?? []),
  );
  return [...new Set(days)].toSorted().toReversed();
}

function readDayAt(
  words: readonly { text: string }[],
  at: number,
  { tableDays, today }: { tableDays: readonly string[]; today: string },
): NamedDay | undefined {
  const text = (offset: number): string => words[at + offset]?.text ?? "";
  const whole = parseDayCell(text(0));
  if (whole !== undefined) return { from: at, to: at + 1, day: whole };
  const relative = readRelativeDay(text(0), text(1), today);
  if (relative !== undefined) return { from: at, ...relative, to: at + relative.length };
  const isOf = text(1) === "of" ? 1 : 0;
  const [dayFirst, monthAfter] = [DAY_NUMBER.exec(text(0))?.[1], text(1 + isOf)];
  if (dayFirst !== undefined && MONTH.test(monthAfter))
    return createNamedDay(at, 2 + isOf, findLatestDay(Number(dayFirst), monthAfter, { tableDays, today }));
  const dayAfter = DAY_NUMBER.exec(text(1))?.[1];
  if (MONTH.test(text(0)) && dayAfter !== undefined)
    return createNamedDay(at, 2, findLatestDay(Number(dayAfter), text(0), { tableDays, today }));
  const ordinal = ORDINAL.exec(text(0))?.[1];
  return ordinal === undefined
    ? undefined
    : createNamedDay(at, 1, findLatestDay(Number(ordinal), undefined, { tableDays, today }));
}

const createNamedDay = (from: number, length: number, day: string | undefined): NamedDay | undefined =>
  day === undefined ? undefined : { from, to: from + length, day };

function readRelativeDay(
  word: string,
  next: string,
  today: string,
): { day: string; length: number } | undefined {
  if (word === "today") return { day: today, length: 1 };
  if (word === "yesterday") return { day: addDays(today, -1), length: 1 };
  if (word === "last" && next === "night") return { day: addDays(today, -1), length: 2 };
  if (word === "this" && /^(?:morning|afternoon|evening)$/u.test(next)) return { day: today, length: 2 };
  const weekday = WEEKDAYS.findIndex((name) => name.toLowerCase() === (word === "last" ? next : word));
  if (weekday < 0) return undefined;
  const daysBack = (new Date(`${today}T00:00:00Z`).getUTCDay() - weekday + 7) % 7;
  return {
    day: addDays(today, word === "last" && daysBack === 0 ? -7 : -daysBack),
    length: word === "last" ? 2 : 1,
  };
}

/** The latest day of the table with this number and month, else the last one up to today. */
function findLatestDay(
  date: number,
  month: string | undefined,
  { tableDays, today }: { tableDays: readonly string[]; today: string },
): string | undefined {
  const number = month === undefined ? undefined : SHORT_MONTHS.indexOf(month.slice(0, 3)) + 1;
  const fits = (day: string): boolean =>
    Number(day.slice(8)) === date && (number === undefined || Number(day.slice(5, 7)) === number);
  const inTable = tableDays.find(fits);
  if (inTable !== undefined) return inTable;
  const [year, thisMonth] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  const months = number === undefined ? [thisMonth, thisMonth === 1 ? 12 : thisMonth - 1] : [number];
  return [year, year - 1]
    .flatMap((candidateYear) =>
      months.flatMap((candidateMonth) => calendarDay(candidateYear, candidateMonth, date) ?? []),
    )
    .find((day) => day <= today);
}
