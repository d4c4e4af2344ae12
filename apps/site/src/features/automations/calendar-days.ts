import { MONTHS, WEEKDAYS } from "@metahuman/core/contract/calendar-names";
import type { OccurrenceState, ScheduleCalendar } from "@metahuman/core/contract/schedule";

/** The short names of the weekdays, from Monday. */
export const SHORT_WEEKDAYS: readonly string[] = [...WEEKDAYS.slice(1), WEEKDAYS[0] ?? ""].map((name) =>
  name.slice(0, 3),
);

/** One day of the calendar strip, in the time zone of the browser. */
export interface CalendarDay {
  /** `2026-11-23` */
  day: string;
  /** From 0 for Monday to 6 for Sunday. */
  weekday: number;
  counts: Partial<Record<OccurrenceState | "planned", number>>;
  /** Whether more are planned than the count shows. */
  andMore: boolean;
  /** The worst outcome of the day. */
  worst: OccurrenceState | "planned" | undefined;
  isToday: boolean;
}

const ORDER = ["failed", "missed", "skipped", "running", "due", "succeeded", "planned"] as const;
const DAY_MS = 86_400_000;

/** The days that the calendar shows in addition to today. */
export const SHOWN_DAYS = { past: 60, future: 20 };

/** The start and end of the shown days. */
export function shownMoments(now: Date): { from: string; to: string } {
  const midnight = (days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).toISOString();
  return { from: midnight(-SHOWN_DAYS.past), to: midnight(SHOWN_DAYS.future + 1) };
}

/**
 * The days from `past` days ago to `future` days from now, with past and planned occurrences. Schedules are skipped on
 * `skipDays`.
 */
export function calendarDays(
  { items, planned }: ScheduleCalendar,
  now: Date,
  { past, future, skipDays = [] }: { past: number; future: number; skipDays?: readonly string[] },
): CalendarDay[] {
  const counts = new Map<string, CalendarDay["counts"]>();
  const count = (dueAt: string, state: OccurrenceState | "planned"): void => {
    const day = localDay(new Date(dueAt));
    const found = counts.get(day) ?? {};
    found[state] = (found[state] ?? 0) + 1;
    counts.set(day, found);
  };
  for (const { dueAt, state } of items) count(dueAt, state);
  for (const { dueAt } of planned) count(dueAt, "planned");
  const uncounted = new Set(
    planned.filter(({ andMore }) => andMore).map(({ dueAt }) => localDay(new Date(dueAt))),
  );
  const today = localDay(now);
  // The ledger contains the past ones.
  for (const day of skipDays) if (day >= today) count(`${day}T12:00:00`, "skipped");
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12).getTime();
  return Array.from({ length: past + 1 + future }, (_, index) => {
    const date = new Date(noon + (index - past) * DAY_MS);
    const day = localDay(date);
    const found = counts.get(day) ?? {};
    return {
      day,
      weekday: (date.getDay() + 6) % 7,
      counts: found,
      andMore: uncounted.has(day),
      worst: ORDER.find((state) => found[state] !== undefined),
      isToday: index === past,
    };
  });
}

/** The months of consecutive days, each with the index of the week in which its first full week begins. */
export function monthLabels(days: readonly CalendarDay[]): { month: string; week: number }[] {
  const before = days[0]?.weekday ?? 0;
  return days.flatMap(({ day }, index) => {
    const isFirst = day.endsWith("-01");
    if (!isFirst && index > 0) return [];
    const month = monthOf(day);
    const week = Math.ceil((index + before) / 7);
    // The label of a month that ends soon would cover the next label.
    if (index === 0 && Number(day.slice(8)) > 20) return [];
    return [{ month, week: index === 0 ? 0 : week }];
  });
}

function localDay(at: Date): string {
  const part = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`;
}

/** "Nov" for `2026-11-23`. */
const monthOf = (day: string): string => MONTHS[Number(day.slice(5, 7)) - 1]?.slice(0, 3) ?? "";

/** "Mon 23 Nov: 2 succeeded, 1 planned"; "Mon 23 Nov: at least 3 planned" */
export function describeDay({ day, weekday, counts, andMore }: CalendarDay): string {
  const label = `${SHORT_WEEKDAYS[weekday]} ${Number(day.slice(8))} ${monthOf(day)}`;
  const parts = ORDER.flatMap((state) => {
    const least = andMore && state === "planned" ? "at least " : "";
    return counts[state] === undefined ? [] : [`${least}${counts[state]} ${state}`];
  });
  return `${label}: ${parts.join(", ") || "nothing"}`;
}
