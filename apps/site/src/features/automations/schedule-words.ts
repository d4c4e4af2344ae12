import { MONTHS } from "@metahuman/core/contract/calendar-names";
import { describeMoment, describeWhen } from "@metahuman/core/contract/describe-when";
import type { ScheduleItem } from "@metahuman/core/contract/schedule";
import { formatDueDate } from "../../lib/format/format.ts";

/** The text of a row for the times of a schedule. Days are those of the schedule's time zone: `2026-12-07`. */
export interface ScheduleWords {
  when: string;
  /** The next moment, near now ("tomorrow, 09:00") and exactly; absent if there is none. */
  next?: { words: string; exact: string; day: string } | undefined;
  today: string;
}

/**
 * The next moment is given in the time zone of the browser; before that is known, and on the server, in that of the schedule.
 */
export function scheduleWords(
  { when, timeZone, until, next: [first] }: Pick<ScheduleItem, "when" | "timeZone" | "until" | "next">,
  now: Date,
  ownZone: string | undefined,
): ScheduleWords {
  const next = first === undefined ? undefined : new Date(first);
  return {
    when: describeWhen(when, timeZone, until),
    next: next && {
      words: nearMoment(next, now, ownZone ?? timeZone),
      exact: describeMoment(next, ownZone ?? timeZone),
      day: dayIn(next, timeZone),
    },
    today: dayIn(now, timeZone),
  };
}

/** "tomorrow, 09:00" in a time zone. */
function nearMoment(at: Date, now: Date, timeZone: string): string {
  const today = new Date(`${dayIn(now, timeZone)}T00:00`);
  return `${formatDueDate(dayIn(at, timeZone), today)}, ${describeMoment(at, timeZone).slice(-5)}`;
}

/** The day of a moment in a time zone: `2026-12-07`. */
function dayIn(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format(at);
}

/** "7 Dec" for `2026-12-07`. */
export function dayName(day: string): string {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]?.slice(0, 3)}`;
}
