import type { Region } from "../../contract/region.ts";

/** When a request was made, and where: what relative dates count from. */
export interface Clock extends Pick<Region, "timeZone">, Partial<Pick<Region, "locale">> {
  now: Date;
}

/** A moment as the clocks of a place show it; months count from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** Making one takes longer than reading a whole request with it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  clocks.set(timeZone, made);
  return made;
}

/** What the clocks of `timeZone` show at `instant`. Throws `RangeError` for an unknown zone. */
export function wallTimeOf(instant: Date, timeZone: string): WallTime {
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

/** Minutes by which the clocks of `timeZone` are ahead of UTC at `instant`. */
export function zoneOffset(instant: Date, timeZone: string): number {
  return Math.round((asUtc(wallTimeOf(instant, timeZone)) - instant.getTime()) / 60_000);
}

/** The instant at which the clocks of `timeZone` show `wall`; in a gap, the moment after it. */
export function instantOf(wall: WallTime, timeZone: string): Date {
  const first = asUtc(wall) - zoneOffset(new Date(asUtc(wall)), timeZone) * 60_000;
  return new Date(asUtc(wall) - zoneOffset(new Date(first), timeZone) * 60_000);
}

/** `YYYY-MM-DD` */
export function isoDay({ year, month, day }: Pick<WallTime, "year" | "month" | "day">): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}
