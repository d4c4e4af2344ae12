import type { OccurrenceState, ScheduleCalendar } from "@metahuman/core/contract/schedule";

/** One day of the calendar strip, in the time zone of the browser. */
export interface CalendarDay {
  /** `2026-11-23` */
  day: string;
  counts: Partial<Record<OccurrenceState | "planned", number>>;
  /** What stands out on that day, the worst first. */
  worst: OccurrenceState | "planned" | undefined;
  isToday: boolean;
}

const ORDER = ["failed", "missed", "skipped", "running", "due", "succeeded", "planned"] as const;
const DAY_MS = 86_400_000;

/** The days from `past` days ago to `future` days from now, with what was due and what will be. */
export function calendarDays(
  { items, planned }: ScheduleCalendar,
  now: Date,
  { past, future }: { past: number; future: number },
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
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12).getTime();
  return Array.from({ length: past + 1 + future }, (_, index) => {
    const day = localDay(new Date(noon + (index - past) * DAY_MS));
    const found = counts.get(day) ?? {};
    return {
      day,
      counts: found,
      worst: ORDER.find((state) => found[state] !== undefined),
      isToday: index === past,
    };
  });
}

function localDay(at: Date): string {
  const part = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`;
}

/** "Mon 23 Nov: 2 succeeded, 1 planned" */
export function describeDay({ day, counts }: CalendarDay): string {
  const date = new Date(`${day}T12:00:00`);
  const label = date.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" });
  const parts = ORDER.flatMap((state) => (counts[state] === undefined ? [] : [`${counts[state]} ${state}`]));
  return `${label}: ${parts.join(", ") || "nothing"}`;
}
