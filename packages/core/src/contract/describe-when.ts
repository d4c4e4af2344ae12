import { MONTHS, WEEKDAYS } from "./calendar-names.ts";
import type { ScheduleWhen } from "./schedule.ts";

const UNITS: readonly (readonly [string, number])[] = [
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/**
 * When a schedule is due, as words that may follow its title: "every weekday at 07:30", with the day of its last moment
 * (ISO 8601), if it has one: "every day at 09:00 until Friday 25 December 2026".
 */
export function describeWhen(when: ScheduleWhen, timeZone: string, until?: string): string {
  if (until === undefined) return describeRecurrence(when, timeZone);
  const [lastDay = ""] = describeMoment(new Date(until), timeZone).split(" at ");
  return `${describeRecurrence(when, timeZone)} until ${lastDay}`;
}

function describeRecurrence(when: ScheduleWhen, timeZone: string): string {
  switch (when.kind) {
    case "at":
      return `on ${describeMoment(new Date(when.at), timeZone)}`;
    case "every":
      return describeInterval(when, timeZone);
    case "cron":
      return describeCron(when.expression);
    default:
      return when satisfies never;
  }
}

/** A moment in a time zone: "Friday 27 November 2026 at 09:00". */
export function describeMoment(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("weekday")} ${part("day")} ${part("month")} ${part("year")} at ${part("hour")}:${part("minute")}`;
}

/** Whole days keep their local time and whole weeks their day, so both are named. */
function describeInterval(
  { seconds, anchor }: Extract<ScheduleWhen, { kind: "every" }>,
  timeZone: string,
): string {
  const [unit, length] = UNITS.find(([, candidate]) => seconds % candidate === 0) ?? ["second", 1];
  const count = seconds / length;
  const words = count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
  const [weekday = "", ...date] = describeMoment(new Date(anchor), timeZone).split(" ");
  if (unit === "week") return `${words} on ${weekday} at ${date.at(-1)}`;
  return unit === "day" ? `${words} at ${date.at(-1)}` : words;
}

function describeCron(expression: string): string {
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = expression.split(" ");
  const fallback = `by the cron expression ${expression}`;
  const [, from, to] = /^(\d+)-(\d+)$/.exec(hour) ?? [];
  if (
    from !== undefined &&
    to !== undefined &&
    minute === "0" &&
    `${dayOfMonth}${month}${dayOfWeek}` === "***"
  )
    return `every hour from ${from.padStart(2, "0")}:00 to ${to.padStart(2, "0")}:00`;
  if (!/^\d+$/.test(minute) || !/^\d+(?:,\d+)*$/.test(hour)) return fallback;
  const times = hour.split(",").map((one) => `${one.padStart(2, "0")}:${minute.padStart(2, "0")}`);
  const days = describeDays(dayOfMonth, month, dayOfWeek);
  return days === undefined ? fallback : `${days} at ${joinWithAnd(times)}`;
}

function describeDays(dayOfMonth: string, month: string, dayOfWeek: string): string | undefined {
  if (dayOfMonth === "*" && month === "*") {
    if (dayOfWeek === "*") return "every day";
    if (/^(?:1-5|mon-fri)$/i.test(dayOfWeek)) return "every weekday";
    const [, nthDay = "", nth = ""] = /^([0-7])#([1-5L])$/.exec(dayOfWeek) ?? [];
    if (nth !== "") {
      const ordinal = nth === "L" ? "last" : ["first", "second", "third", "fourth", "fifth"][Number(nth) - 1];
      return `on the ${ordinal} ${WEEKDAYS[Number(nthDay) % 7]} of every month`;
    }
    const days = weekdaysIn(dayOfWeek);
    return days && `every ${joinWithAnd(days.map((day) => WEEKDAYS[day] ?? ""))}`;
  }
  if (dayOfWeek !== "*") return undefined;
  if (month === "*") {
    if (dayOfMonth === "L") return "on the last day of every month";
    if (/^\d+(?:,\d+)*$/.test(dayOfMonth))
      return `on day ${joinWithAnd(dayOfMonth.split(","))} of every month`;
    return undefined;
  }
  if (/^\d+(?:,\d+)+$/.test(month) && /^\d+$/.test(dayOfMonth))
    return `on day ${dayOfMonth} of ${joinWithAnd(month.split(",").map((one) => MONTHS[Number(one) - 1] ?? ""))}`;
  const name = /^\d+$/.test(month) ? MONTHS[Number(month) - 1] : undefined;
  return name !== undefined && /^\d+$/.test(dayOfMonth) ? `every year on ${dayOfMonth} ${name}` : undefined;
}

/** The days of "1-4" and "5,6,0" (0 and 7 are Sunday), from Monday on; undefined for any other field. */
function weekdaysIn(field: string): number[] | undefined {
  const [, from, to] = /^([0-6])-([1-7])$/.exec(field) ?? [];
  const listed = /^[0-7](?:,[0-7])*$/.test(field) ? field.split(",").map(Number) : undefined;
  const days =
    from === undefined || to === undefined
      ? listed
      : Array.from(
          { length: Math.max(0, Number(to) - Number(from) + 1) },
          (_, index) => Number(from) + index,
        );
  const fromMonday = (day: number): number => (day + 6) % 7;
  return days && [...new Set(days.map((day) => day % 7))].sort((a, b) => fromMonday(a) - fromMonday(b));
}

function joinWithAnd(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
