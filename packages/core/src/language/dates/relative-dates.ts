import { NUMBERS_TO_TWELVE, smallNumber } from "../../text/number-words.ts";
import type { Token } from "../tokens/tokens.ts";
import { instantOf, isoDay, wallTimeOf, type Clock, type DateSpan } from "./clock.ts";

/**
 * A date relative to the current one of a record: `T10:30` is that time on the same day, `T7` is seven o'clock in the half of the day
 * of its time, and `P1D`, `-PT2H` are an ISO 8601 duration later or earlier.
 */
const RELATIVE =
  /^(?:T([7-9]|1[01])|T([01]\d|2[0-3]):([0-5]\d)|(-?)P(?:(\d{1,3})M|(\d{1,3})W|(\d{1,3})D|T(\d{1,3})H|T(\d{1,4})M))$/u;

export const isRelativeDate = (text: string): boolean => RELATIVE.test(text);

/**
 * Returns the day or the moment that `relative` makes of `from`, in the form of `from` if that is possible. Without
 * `from`, a time counts from today or, if it has passed, from tomorrow, and a duration from now. Throws `RangeError`
 * for anything else than a relative date.
 */
export function applyRelativeDate(
  relative: string,
  from: string | undefined,
  { now, timeZone }: Clock,
): string {
  const parts = RELATIVE.exec(relative);
  if (parts === null) throw new RangeError(`${relative} is not a relative date.`);
  const [, bareHour, givenHour, minute, sign, months, weeks, days, hours, minutes] = parts;
  const amount = (count: string | undefined): number => Number(count ?? 0) * (sign === "-" ? -1 : 1);
  const wall = from === undefined ? wallTimeOf(now, timeZone) : wallOf(from, timeZone);
  const isAfternoon = from?.includes("T") === true && wall.hour >= 12;
  const hour = bareHour === undefined ? givenHour : Number(bareHour) + (isAfternoon ? 12 : 0);
  if (hour !== undefined) {
    const timed = { ...wall, hour: Number(hour), minute: Number(minute ?? 0) };
    const isPast = from === undefined && instantOf(timed, timeZone) <= now;
    return instantOf({ ...timed, day: timed.day + (isPast ? 1 : 0) }, timeZone).toISOString();
  }
  if (hours !== undefined || minutes !== undefined) {
    const start = from === undefined ? now : instantOf(wall, timeZone);
    return new Date(start.getTime() + amount(hours) * 3_600_000 + amount(minutes) * 60_000).toISOString();
  }
  const month = wall.month + amount(months);
  const lastDay = new Date(Date.UTC(wall.year, month, 0)).getUTCDate();
  const moved = { ...wall, month, day: Math.min(wall.day, lastDay) + amount(weeks) * 7 + amount(days) };
  return from?.includes("T") === true ? instantOf(moved, timeZone).toISOString() : isoDay(moved);
}

/** The local time of a day (at midnight) or of a moment. */
function wallOf(date: string, timeZone: string): ReturnType<typeof wallTimeOf> {
  if (date.includes("T")) return wallTimeOf(new Date(date), timeZone);
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return { year, month, day, hour: 0, minute: 0 };
}

/** The positive number that a word names: "a", "another", "two". */
function countOf(word: string): number | undefined {
  if (/^(?:an?|another)$/u.test(word)) return 1;
  const number = smallNumber(word);
  return number === 0 ? undefined : number;
}
const UNIT = /^(minute|min|hour|day|week|fortnight|month)s?$/u;

/** "a week", "2 days later", "an hour earlier", "the day after": the duration and its length in tokens. */
function durationAt(
  tokens: readonly Token[],
  from: number,
  to: number,
): { value: string; length: number } | undefined {
  const word = (index: number): string => (index < to ? (tokens[index]?.text ?? "") : "");
  const isNextUnit = word(from) === "the" && /^(?:day|week|month)$/u.test(word(from + 1));
  if (isNextUnit && !/^(?:after|before)$/u.test(word(from + 2))) return undefined;
  const count = isNextUnit ? 1 : /^\d{1,3}$/u.test(word(from)) ? Number(word(from)) : countOf(word(from));
  const at = word(from + 1) === "more" ? from + 2 : from + 1;
  const unit = UNIT.exec(word(at))?.[1];
  if (count === undefined || unit === undefined) return undefined;
  const direction = /^(?:later|earlier|sooner|after|before)$/u.exec(word(at + 1))?.[0];
  const isBack = /^(?:earlier|sooner|before)$/u.test(direction ?? "");
  return {
    value: `${isBack ? "-" : ""}${durationOf(count, unit)}`,
    length: at + (direction === undefined ? 1 : 2) - from,
  };
}

function durationOf(count: number, unit: string): string {
  switch (unit) {
    case "minute":
    case "min":
      return `PT${count}M`;
    case "hour":
      return `PT${count}H`;
    case "week":
      return `P${count}W`;
    case "fortnight":
      return `P${count * 2}W`;
    case "month":
      return `P${count}M`;
    default:
      return `P${count}D`;
  }
}

/** A bare hour as people say it, without a.m. or p.m.: one to six is in the afternoon, seven to eleven depends on the time before. */
function hourAt({ text }: Token): string | undefined {
  const named = Math.max(0, NUMBERS_TO_TWELVE.indexOf(text));
  const hour = named > 0 ? named : /^\d{1,2}$/u.test(text) ? Number(text) : -1;
  if (hour < 0 || hour > 23) return undefined;
  if (hour >= 7 && hour <= 11) return `T${String(hour)}`;
  return `T${String(hour >= 1 && hour <= 6 ? hour + 12 : hour).padStart(2, "0")}:00`;
}

/** Returns every relative date that begins at `from`, longest first. */
export function relativeDatesAt(
  tokens: readonly Token[],
  { from, to, dates }: { from: number; to: number; dates: readonly DateSpan[] },
): { value: string; length: number }[] {
  const first = from < to ? tokens[from] : undefined;
  if (first === undefined || first.kind === "quoted") return [];
  const times = dates.flatMap((span) =>
    span.time !== undefined &&
    span.to <= to &&
    span.to > from &&
    (span.from === from || span.from === from - 1)
      ? [{ value: `T${span.time}`, length: span.to - from }]
      : [],
  );
  const duration = durationAt(tokens, from, to);
  if (duration) return [...times, duration];
  const hour = times.length > 0 ? undefined : hourAt(first);
  return hour === undefined ? times : [{ value: hour, length: 1 }];
}
