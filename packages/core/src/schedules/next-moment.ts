import { Cron } from "croner";
import type { QuietHours } from "../contract/agents.ts";
import type { Schedule, ScheduleWhen } from "../contract/schedule.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { quietHoursEnd } from "./quiet-hours.ts";
import { instantOf, type WallTime, wallTimeOf, localDay } from "../language/dates/clock.ts";

/** A due moment; `note` explains a shift by daylight saving time. */
export interface Moment {
  at: Date;
  note?: string;
}

export interface Timing extends Pick<Schedule, "when" | "timeZone" | "until"> {
  /** A moment in these hours is due when they end. */
  startsOutside?: QuietHours;
  /** By how many milliseconds each moment comes later than `when` and `startsOutside` say. */
  delayMs?: number;
}

const MINUTE_MS = 60_000;
const DAY_SECONDS = 86_400;
/** The maximum number of days without a match after which a search for a valid moment ends; 29 February recurs within eight years. */
const MAX_GAP_MS = 9 * 366 * 86_400_000;

/**
 * The first due moment after `after`; undefined when there is none. A local time that does not exist is due at the next
 * valid minute; one that exists twice is due once, the first time.
 */
export function nextMoment(
  { when, timeZone, until, startsOutside, delayMs = 0 }: Timing,
  after: Date,
): Moment | undefined {
  const undelayed = momentAfter(when, timeZone, new Date(after.getTime() - delayMs));
  const moment = delay(postpone(undelayed, startsOutside, timeZone), delayMs);
  return moment && (until === undefined || moment.at <= new Date(until)) ? moment : undefined;
}

/** The next due moments after `after`, at most `count`. */
export function nextMoments(timing: Timing, after: Date, count: number): Date[] {
  const moments: Date[] = [];
  let from = after;
  while (moments.length < count) {
    const moment = nextMoment(timing, from);
    if (!moment) break;
    moments.push(moment.at);
    from = moment.at;
  }
  return moments;
}

/** Whether something is due on the local day (`2026-11-24`). */
export function isDueOn(day: string, timing: Timing): boolean {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const midnight = instantOf({ year, month, day: date, hour: 0, minute: 0 }, timing.timeZone);
  const moment = nextMoment(timing, new Date(midnight.getTime() - 1));
  return moment !== undefined && localDay(moment.at, timing.timeZone) === day;
}

function postpone(
  moment: Moment | undefined,
  hours: QuietHours | undefined,
  timeZone: string,
): Moment | undefined {
  const end = moment && quietHoursEnd(hours, moment.at, timeZone);
  return end ? { at: end, note: "It was put off to the end of the quiet hours." } : moment;
}

function delay(moment: Moment | undefined, delayMs: number): Moment | undefined {
  return moment && { ...moment, at: new Date(moment.at.getTime() + delayMs) };
}

/** Throws `InvalidArgsError` for a cron expression that is invalid or never matches, such as 31 November. */
export function checkCron(expression: string): void {
  try {
    if (cronOf(expression).nextRun(new Date("2024-01-01T00:00:00Z"))) return;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const reason = error.message.replace(/^CronPattern: /u, "").replace(/\.$/u, "");
    throw new InvalidArgsError(`This is not a cron expression: ${reason}.`, {
      suggestions: ["Use five fields, for example 30 7 * * 1-5 for every weekday at 07:30."],
    });
  }
  throw new InvalidArgsError("No day matches this, so it would never be due.", {
    suggestions: ["Choose a day that exists, for example 30 11 for 30 November."],
  });
}

function momentAfter(when: ScheduleWhen, timeZone: string, after: Date): Moment | undefined {
  switch (when.kind) {
    case "at": {
      const at = new Date(when.at);
      return at > after ? { at } : undefined;
    }
    case "every": {
      const anchor = Date.parse(when.anchor);
      const interval = when.seconds * 1_000;
      if (anchor > after.getTime()) return { at: new Date(anchor) };
      if (when.seconds % DAY_SECONDS === 0) return afterDays(anchor, interval, { timeZone, after });
      const passed = Math.floor((after.getTime() - anchor) / interval);
      return { at: new Date(anchor + (passed + 1) * interval) };
    }
    case "cron":
      return cronMoment(when.expression, timeZone, after);
    default:
      return when satisfies never;
  }
}

/** An interval of whole days keeps its local time when the clocks change. */
function afterDays(
  anchor: number,
  interval: number,
  { timeZone, after }: { timeZone: string; after: Date },
): Moment {
  const first = asUtc(wallTimeOf(new Date(anchor), timeZone)).getTime();
  const withinMinute = anchor % MINUTE_MS;
  let count = Math.max(0, Math.floor((after.getTime() - anchor) / interval) - 1);
  for (;;) {
    count += 1;
    const { at, ...rest } = momentOf(new Date(first + count * interval), timeZone);
    const exact = new Date(at.getTime() + withinMinute);
    if (exact > after) return { at: exact, ...rest };
  }
}

/**
 * Matches the expression against local times written as if they were UTC, so that the rules for daylight saving time are
 * ours alone.
 */
function cronMoment(expression: string, timeZone: string, after: Date): Moment | undefined {
  const cron = cronOf(expression);
  let local = asUtc(wallTimeOf(after, timeZone));
  for (;;) {
    const next = cron.nextRun(local);
    if (!next || next.getTime() - after.getTime() > MAX_GAP_MS) return undefined;
    const moment = momentOf(next, timeZone);
    if (moment.at > after) return moment;
    local = next;
  }
}

function momentOf(local: Date, timeZone: string): Moment {
  const wall: WallTime = {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
  };
  const at = instantOf(wall, timeZone);
  const time = local.toISOString().slice(11, 16);
  if (asUtc(wallTimeOf(at, timeZone)).getTime() !== local.getTime())
    return {
      at: endOfGap(at, timeZone),
      note: `${time} does not exist on this day: the clock is set forward.`,
    };
  const earlier = earlierPass(at, local, timeZone);
  const isTwice = earlier !== undefined || isLaterPass(at, local, timeZone);
  return {
    at: earlier ?? at,
    ...(isTwice && { note: `${time} exists twice on this day: the clock is set back. It counts once.` }),
  };
}

/** The greatest change of a clock that is looked for, in minutes. */
const MAX_SHIFT_MINUTES = 120;

function earlierPass(at: Date, local: Date, timeZone: string): Date | undefined {
  return otherPass(at, local, timeZone, -1);
}

function isLaterPass(at: Date, local: Date, timeZone: string): boolean {
  return otherPass(at, local, timeZone, 1) !== undefined;
}

/** Another instant with the same local time, before or after `at`. Clocks change by multiples of 15 minutes. */
function otherPass(at: Date, local: Date, timeZone: string, direction: 1 | -1): Date | undefined {
  const limit = new Date(at.getTime() + direction * MAX_SHIFT_MINUTES * MINUTE_MS);
  const isRegular =
    asUtc(wallTimeOf(limit, timeZone)).getTime() - local.getTime() === limit.getTime() - at.getTime();
  if (isRegular) return undefined;
  for (let shift = 15; shift <= MAX_SHIFT_MINUTES; shift += 15) {
    const other = new Date(at.getTime() + direction * shift * MINUTE_MS);
    if (asUtc(wallTimeOf(other, timeZone)).getTime() === local.getTime()) return other;
  }
  return undefined;
}

/** The first minute after the gap of local times that lies near `at`. */
function endOfGap(at: Date, timeZone: string): Date {
  let before = at.getTime() - MAX_SHIFT_MINUTES * MINUTE_MS;
  let after = at.getTime() + MAX_SHIFT_MINUTES * MINUTE_MS;
  const offset = (instant: number) => asUtc(wallTimeOf(new Date(instant), timeZone)).getTime() - instant;
  const offsetBefore = offset(before);
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offset(middle) === offsetBefore) before = middle;
    else after = middle;
  }
  return new Date(after);
}

const asUtc = ({ year, month, day, hour, minute }: WallTime): Date =>
  new Date(Date.UTC(year, month - 1, day, hour, minute));

const MAX_CRONS = 2_000;
const crons = new Map<string, Cron>();

function cronOf(expression: string): Cron {
  const known = crons.get(expression);
  if (known) return known;
  const cron = new Cron(expression, { paused: true, timezone: "UTC", mode: "5-part" });
  if (crons.size >= MAX_CRONS) crons.clear();
  crons.set(expression, cron);
  return cron;
}
