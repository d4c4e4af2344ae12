import { MIN_INTERVAL_SECONDS, type ScheduleWhen, type ScheduleWhenInput } from "../contract/schedule.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { type Clock, instantOf, isoDay, type WallTime, wallTimeOf } from "../language/dates/clock.ts";
import { correctDateWords } from "../language/dates/date-words.ts";
import { readDateText } from "../language/dates/dates.ts";
import { applyRelativeDate, isRelativeDate } from "../language/dates/relative-dates.ts";
import { truncate } from "../text/format.ts";
import { withoutTrailing } from "../text/words.ts";
import { checkCron, nextMoment } from "./next-moment.ts";
import { DEFAULT_HOUR, type RecurrenceRule, recurrenceAt } from "../text/recurrence.ts";

const MAX_QUOTED = 80;

const CRON_WORDS = /^(?:[\d*,/#?-]+|[a-z]{3}(?:[,-][a-z]{3})*|[L])(?:\s+(?:[\dA-Za-z*,/#?-]+)){4}$/i;

/**
 * Reads when something is to happen: a `ScheduleWhen`, or words for one. A day without a time is 09:00 in `clock.timeZone`.
 * Throws `InvalidArgsError` for a day that does not exist, a moment that has passed, an interval below a minute, and words
 * that it does not understand.
 */
export function readWhen(input: ScheduleWhenInput, clock: Clock): ScheduleWhen {
  const when = typeof input === "string" ? whenInWords(input.trim(), clock) : whenOf(input, clock);
  if (when.kind === "cron") checkCron(when.expression);
  if (when.kind === "every" && when.seconds < MIN_INTERVAL_SECONDS)
    throw new InvalidArgsError("The interval must be at least one minute.", {
      suggestions: ["every 5 minutes", "every hour"],
    });
  if (!nextMoment({ when, timeZone: clock.timeZone }, clock.now))
    throw new InvalidArgsError(
      `That moment has passed: it is ${formatLocal(clock.now, clock.timeZone)} in ${clock.timeZone}.`,
      { suggestions: ["tomorrow at 9:00", "in 20 minutes"] },
    );
  return when;
}

/** The last moment of what recurs until a day (`YYYY-MM-DD`), as an ISO 8601 timestamp: its end in this time zone. A moment stays. */
export function endOfDay(until: string, timeZone: string): string {
  if (until.includes("T")) return until;
  const [year = 0, month = 1, day = 1] = until.split("-").map(Number);
  const nextDay = instantOf({ year, month, day: day + 1, hour: 0, minute: 0 }, timeZone);
  return new Date(nextDay.getTime() - 1).toISOString();
}

const UNTIL = /^(?:(?<when>.*\S)\s+)?(?:up\s+)?(?:until|till?|through)\s+(?<day>\S.*)$/isu;

/**
 * Takes the last day out of the words for when something recurs: "every day at 9 until Christmas". `until` is the end of that day
 * in ISO 8601; `when` is absent if the words only name the last day. Throws `InvalidArgsError` for a last day that has passed.
 */
export function splitUntil<When extends ScheduleWhenInput | undefined>(
  input: When,
  clock: Clock,
): { when?: When | string; until?: string } {
  const { when, day = "" } = (typeof input === "string" ? UNTIL.exec(input)?.groups : undefined) ?? {};
  const read = readDateText(`until ${day}`, clock);
  if (day === "" || read.kind !== "date" || read.value.includes("T")) return { when: input };
  const until = endOfDay(read.value, clock.timeZone);
  if (Date.parse(until) < clock.now.getTime())
    throw new InvalidArgsError(`The last day “${truncate(day, MAX_QUOTED)}” has passed.`, {
      suggestions: ["every day at 9 until Friday", "every day at 9"],
    });
  return when === undefined ? { until } : { when: withoutTrailing(when, /[\s,]/u), until };
}

/** The words and the last day of something new, which has to say how often it is due. Throws `InvalidArgsError` if it does not. */
export function readTimes(
  input: ScheduleWhenInput,
  clock: Clock,
): { when: ScheduleWhen; until: string | undefined } {
  const { when, until } = splitUntil(input, clock);
  if (when === undefined)
    throw new InvalidArgsError("This has an end but no repetition.", {
      suggestions: ["every day at 9 until Friday"],
    });
  return { when: readWhen(when, clock), until };
}

/** The moment of the reminder for a task that is due on this day or at this moment. It may have passed. */
export const whenDue = (due: string, clock: Clock): ScheduleWhen => ({
  kind: "at",
  at: due.includes("T") ? due : atUsualHour(due, clock),
});

const DAY_SECONDS = 86_400;
const DAILY_TIME = /^\d{1,2} \d{1,2} (?=\S+ \S+ \S+$)/u;

/**
 * Reads when a schedule is to be due from now on. `T10:30` keeps its days and changes the time, and a duration moves a single
 * moment. Throws like `readWhen`, and `InvalidArgsError` for a schedule that has no such time.
 */
export function editedWhen(before: ScheduleWhen, input: ScheduleWhenInput, clock: Clock): ScheduleWhen {
  if (typeof input !== "string" || !isRelativeDate(input)) return readWhen(input, clock);
  if (before.kind === "at")
    return readWhen({ kind: "at", at: applyRelativeDate(input, before.at, clock) }, clock);
  // "T7" is the hour in the half of the day in which the schedule is due.
  const timed =
    before.kind === "cron" && /^T\d{1,2}$/u.test(input) ? likeTimeOf(before.expression, input, clock) : input;
  const [, hour, minute] = /^T(\d{1,2})(?::(\d\d))?$/u.exec(timed) ?? [];
  // Every `days` days, at another time of day.
  if (before.kind === "every" && hour !== undefined && before.seconds % DAY_SECONDS === 0)
    return readWhen({ ...before, anchor: applyRelativeDate(input, before.anchor, clock) }, clock);
  if (before.kind !== "cron" || hour === undefined || !DAILY_TIME.test(before.expression))
    throw new InvalidArgsError("This schedule has no single time of day that could be moved.", {
      suggestions: ["every day at 10:00", "every 2 hours"],
    });
  const time = `${Number(minute ?? 0)} ${Number(hour)} `;
  return readWhen({ kind: "cron", expression: before.expression.replace(DAILY_TIME, time) }, clock);
}

/** The time that a bare hour is for a schedule with one time of day: `T19:00` for `T7` and 18:00. */
function likeTimeOf(expression: string, bareHour: string, clock: Clock): string {
  const [minute = "0", hour = "0"] = expression.split(" ");
  const today = isoDay(wallTimeOf(clock.now, clock.timeZone));
  const before = applyRelativeDate(`T${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`, today, clock);
  const { hour: next } = wallTimeOf(new Date(applyRelativeDate(bareHour, before, clock)), clock.timeZone);
  return `T${String(next).padStart(2, "0")}:00`;
}

function whenOf(input: Exclude<ScheduleWhenInput, string>, clock: Clock): ScheduleWhen {
  switch (input.kind) {
    case "at":
      return { kind: "at", at: momentIn(input.at, clock) };
    case "cron":
      return { kind: "cron", expression: input.expression.trim().replaceAll(/\s+/g, " ") };
    case "every":
      return {
        kind: "every",
        seconds: input.seconds,
        anchor: new Date(input.anchor ?? clock.now).toISOString(),
      };
    default:
      return input satisfies never;
  }
}

function whenInWords(words: string, clock: Clock): ScheduleWhen {
  const text = correctDateWords(words.replace(/[\s.!]+$/u, "")).text;
  const found = recurrenceAt(text);
  if (found?.length === text.length) return recurring(found.rule, clock);
  // "2 December in the morning" has five words, as a cron expression has.
  if (CRON_WORDS.test(text) && readDateText(text, clock).kind === "unknown")
    return { kind: "cron", expression: text.replaceAll(/\s+/g, " ") };
  return { kind: "at", at: momentIn(text, clock) };
}

function recurring(rule: RecurrenceRule, clock: Clock): ScheduleWhen {
  if ("cron" in rule) return { kind: "cron", expression: rule.cron };
  if ("seconds" in rule) return { kind: "every", seconds: rule.seconds, anchor: clock.now.toISOString() };
  if ("days" in rule)
    return { kind: "every", seconds: rule.days * 86_400, anchor: firstDay(rule, clock).toISOString() };
  const { months, dayOfMonth, hour, minute } = rule;
  const first = firstMonth(rule, clock);
  const all = Array.from({ length: 12 / months }, (_, index) => ((first - 1 + index * months) % 12) + 1);
  const expression = `${minute} ${hour} ${dayOfMonth} ${all.sort((a, b) => a - b).join(",")} *`;
  return { kind: "cron", expression };
}

/** The first moment from now on at that time, on that day of the week if one is given. */
function firstDay(
  { weekday, hour, minute }: { weekday?: number; hour: number; minute: number },
  { now, timeZone }: Clock,
): Date {
  const today = wallTimeOf(now, timeZone);
  for (let ahead = 0; ; ahead += 1) {
    const day = new Date(Date.UTC(today.year, today.month - 1, today.day + ahead));
    if (weekday !== undefined && day.getUTCDay() !== weekday) continue;
    const at = instantOf({ ...wallDay(day), hour, minute }, timeZone);
    if (at > now) return at;
  }
}

const wallDay = (day: Date): Pick<WallTime, "year" | "month" | "day"> => ({
  year: day.getUTCFullYear(),
  month: day.getUTCMonth() + 1,
  day: day.getUTCDate(),
});

/** This month, or the next one if its day has passed. */
function firstMonth(
  { dayOfMonth, hour, minute }: { dayOfMonth: number; hour: number; minute: number },
  { now, timeZone }: Clock,
): number {
  const { year, month } = wallTimeOf(now, timeZone);
  const isToCome = instantOf({ year, month, day: dayOfMonth, hour, minute }, timeZone) > now;
  return isToCome ? month : (month % 12) + 1;
}

/** The moment that the words name, as an ISO timestamp. */
function momentIn(words: string, clock: Clock): string {
  const read = readDateText(words, clock);
  switch (read.kind) {
    case "date":
      return read.value.includes("T") ? read.value : atUsualHour(read.value, clock);
    case "impossible":
      throw new InvalidArgsError(`There is no such day: ${truncate(words, MAX_QUOTED)}.`, {
        suggestions: [`Today is ${isoDay(wallTimeOf(clock.now, clock.timeZone))}.`],
      });
    case "ambiguous":
      throw new InvalidArgsError(`${truncate(words, MAX_QUOTED)} may mean ${read.values.join(" or ")}.`, {
        suggestions: [...read.values],
      });
    case "unknown":
      throw new InvalidArgsError(
        `“${truncate(words, MAX_QUOTED)}” is not a time or a recurrence that can be understood here.`,
        {
          suggestions: [
            `${tomorrow(clock)} 9:00`,
            "Friday at 9:00",
            "every weekday at 7:30",
            "on the first of the month",
            "in 2 hours",
          ],
        },
      );
    default:
      return read satisfies never;
  }
}

/** 09:00 of that day; today after nine, the next full hour that is at least half an hour away. */
function atUsualHour(day: string, { now, timeZone }: Clock): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const wall: WallTime = { year, month, day: date, hour: DEFAULT_HOUR, minute: 0 };
  const today = wallTimeOf(now, timeZone);
  if (isoDay(today) === day && today.hour >= DEFAULT_HOUR) {
    const hour = today.hour + (today.minute > 30 ? 2 : 1);
    if (hour < 24) return instantOf({ ...wall, hour }, timeZone).toISOString();
  }
  return instantOf(wall, timeZone).toISOString();
}

function tomorrow({ now, timeZone }: Clock): string {
  const today = wallTimeOf(now, timeZone);
  return new Date(Date.UTC(today.year, today.month - 1, today.day + 1)).toISOString().slice(0, 10);
}

function formatLocal(at: Date, timeZone: string): string {
  const { hour, minute, ...day } = wallTimeOf(at, timeZone);
  return `${isoDay(day)} ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
