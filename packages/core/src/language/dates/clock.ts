import type { Region } from "../../contract/region.ts";

/** When and in which time zone a request was created; relative dates count from here. */
export interface Clock extends Pick<Region, "timeZone">, Partial<Pick<Region, "locale">> {
  now: Date;
}

/** Tokens that name a day or a time. */
export interface DateSpan {
  from: number;
  to: number;
  /** `2026-11-21` for a day, an ISO 8601 UTC timestamp for a time. */
  value: string;
  /** For a day that does not exist, or that may be another one: what to ask. `value` is then as written. */
  question?: string;
  /** For a question: the text with `{}` in place of the answer, `{} at 9`. */
  within?: string;
  /** `10:30`, the local time, if the words name a time and no day. */
  time?: string;
  /** The last day if the value names a week, a month or several days; otherwise equal to `value`. */
  last: string;
  /** The words name both days: "3 to 5 December". */
  isRange?: true;
}

/** A local time in a time zone; months count from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** Creating a formatter takes longer than interpreting a request with it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const cached = clocks.get(timeZone);
  if (cached) return cached;
  const created = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  clocks.set(timeZone, created);
  return created;
}

/** The last result: reading one request needs the same local time many times. */
let last: { instant: number; timeZone: string; wall: Readonly<WallTime> } | undefined;

/** Returns the local time in `timeZone` at `instant`. Throws `RangeError` for an unknown time zone. */
export function wallTimeOf(instant: Date, timeZone: string): WallTime {
  if (last?.instant === instant.getTime() && last.timeZone === timeZone) return { ...last.wall };
  const wall = readWallTime(instant, timeZone);
  last = { instant: instant.getTime(), timeZone, wall };
  return { ...wall };
}

function readWallTime(instant: Date, timeZone: string): WallTime {
  const parts = clockOf(timeZone).formatToParts(instant);
  const part = (type: string): number =>
    Number(parts.find((candidate) => candidate.type === type)?.value ?? 0);
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
  };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime): number =>
  Date.UTC(year, month - 1, day, hour, minute);

/** Returns the offset of `timeZone` from UTC at `instant`, in minutes. */
export function zoneOffset(instant: Date, timeZone: string): number {
  // A wall time has no seconds, so those of the instant must not count.
  return asUtc(wallTimeOf(instant, timeZone)) / 60_000 - Math.floor(instant.getTime() / 60_000);
}

/** Returns the instant at which the local time in `timeZone` is `wall`; in a gap, the instant after it. */
export function instantOf(wall: WallTime, timeZone: string): Date {
  const first = asUtc(wall) - zoneOffset(new Date(asUtc(wall)), timeZone) * 60_000;
  const second = asUtc(wall) - zoneOffset(new Date(first), timeZone) * 60_000;
  const isInGap = first !== second && asUtc(wallTimeOf(new Date(second), timeZone)) !== asUtc(wall);
  // Before a gap the offset of one side leads to an instant before it, that of the other side to one after it.
  return new Date(isInGap ? Math.max(first, second) : second);
}

/**
 * A date that shows in the time zone of this process what the clock shows in its own. The date library gets it in place of the
 * moment and the offset: some of its rules read the time zone of the process all the same.
 */
export function libraryReference({ now, timeZone }: Clock): Date {
  const { year, month, day, hour, minute } = wallTimeOf(now, timeZone);
  return new Date(year, month - 1, day, hour, minute, now.getUTCSeconds(), now.getUTCMilliseconds());
}

/** `YYYY-MM-DD` */
export function isoDay({ year, month, day }: Pick<WallTime, "year" | "month" | "day">): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** Formats an instant to the minute, as the clocks of this region show it: `2026-11-21 17:00`. */
export function formatMoment(instant: string, { timeZone }: Pick<Region, "timeZone">): string {
  const wall = wallTimeOf(new Date(instant), timeZone);
  return `${isoDay(wall)} ${formatClock(wall)}`;
}

/** A due day or moment in a time zone: `2026-11-21`, or `2026-11-21 17:00`. */
export const formatDue = (due: string, region: Pick<Region, "timeZone">): string =>
  due.includes("T") ? formatMoment(due, region) : due;

/** The time of an instant in a time zone: `17:00`. */
export function formatLocalTime(instant: string, { timeZone }: Pick<Region, "timeZone">): string {
  return formatClock(wallTimeOf(new Date(instant), timeZone));
}

/** `09:05` */
export function formatClock({ hour, minute }: Pick<WallTime, "hour" | "minute">): string {
  return [hour, minute].map((part) => String(part).padStart(2, "0")).join(":");
}

/** The day of an instant in a time zone: `2026-11-22`. */
export function localDay(instant: Date | string, timeZone: string): string {
  return isoDay(wallTimeOf(new Date(instant), timeZone));
}

/** The current day in the person's time zone: `2026-11-22`. */
export function dayOf({ now, timeZone }: Clock): string {
  return localDay(now, timeZone);
}

const DAY_MS = 86_400_000;

/** A day as `YYYY-MM-DD`, so many days later; earlier for a negative number. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, "2026-11-28".length);
