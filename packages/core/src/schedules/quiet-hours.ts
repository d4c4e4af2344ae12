import type { QuietHours } from "../contract/agents.ts";
import { instantOf, wallTimeOf } from "../language/dates/clock.ts";

/** The end of the quiet hours at `at`, in a time zone; undefined outside quiet hours. */
export function quietHoursEnd(hours: QuietHours | undefined, at: Date, timeZone: string): Date | undefined {
  if (!hours || hours.from === hours.to) return undefined;
  const wall = wallTimeOf(at, timeZone);
  const minute = wall.hour * 60 + wall.minute;
  const from = minutesOf(hours.from);
  const to = minutesOf(hours.to);
  const isInside = from < to ? from <= minute && minute < to : from <= minute || minute < to;
  if (!isInside) return undefined;
  const day = minute < to ? wall.day : wall.day + 1;
  return instantOf({ ...wall, day, hour: Math.floor(to / 60), minute: to % 60 }, timeZone);
}

function minutesOf(timeOfDay: string): number {
  const [hours, minutes] = timeOfDay.split(":");
  return Number(hours) * 60 + Number(minutes);
}
