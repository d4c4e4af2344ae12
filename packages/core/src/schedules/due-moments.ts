import type { Occurrence, Schedule } from "../contract/schedule.ts";
import { type Moment, nextMoment, type Timing } from "./next-moment.ts";
import { localDay } from "../language/dates/clock.ts";

/** A new row of the ledger. */
export interface DueRow {
  dueAt: string;
  state: Extract<Occurrence["state"], "due" | "missed" | "skipped">;
  reason?: string;
}

/** The rows for moments that have come, and the next moment after them. */
export interface DueMoments {
  rows: DueRow[];
  next: Moment | undefined;
}

type Rules = Timing & Pick<Schedule, "catchUp" | "graceMinutes" | "skipDays">;

/** The maximum number of rows that one decision covers; the next one continues from there. */
const MAX_ROWS = 500;

/**
 * Decides the state of each moment from `first` to `now`: on time, late, missed or skipped. Reads no clock and no
 * store.
 */
export function dueMoments(schedule: Rules, first: Moment, now: Date): DueMoments {
  const rows: DueRow[] = [];
  let moment: Moment | undefined = first;
  while (moment && moment.at <= now && rows.length < MAX_ROWS) {
    const next = nextMoment(schedule, moment.at);
    const isLatest = !next || next.at > now;
    rows.push(rowFor(schedule, moment, { now, isLatest }));
    moment = next;
  }
  return { rows, next: moment };
}

function rowFor(
  { timeZone, catchUp, graceMinutes, skipDays }: Rules,
  { at, note }: Moment,
  { now, isLatest }: { now: Date; isLatest: boolean },
): DueRow {
  const dueAt = at.toISOString();
  const withNote = (reason: string) => (note === undefined ? reason : `${reason} ${note}`);
  const day = localDay(at, timeZone);
  if (skipDays.includes(day))
    return { dueAt, state: "skipped", reason: withNote(`You asked to skip ${day}.`) };
  const lateMs = now.getTime() - at.getTime();
  if (lateMs <= graceOf({ graceMinutes }))
    return { dueAt, state: "due", ...(note !== undefined && { reason: note }) };
  const late = describeDelay(lateMs);
  if (catchUp === "all" || (catchUp === "once" && isLatest))
    return { dueAt, state: "due", reason: withNote(`Caught up ${late} late: nothing ran when it was due.`) };
  const rule =
    catchUp === "once"
      ? "Only the latest missed moment is caught up."
      : "Missed moments of this schedule are not caught up.";
  return {
    dueAt,
    state: "missed",
    reason: withNote(`Nothing ran when it was due; found ${late} late. ${rule}`),
  };
}

/** The scheduler checks every half minute, so nothing is late within a minute. */
const MIN_GRACE_MS = 60_000;

/** How late an occurrence may start and still count as on time, in milliseconds. */
function graceOf({ graceMinutes }: Pick<Schedule, "graceMinutes">): number {
  return Math.max(graceMinutes * 60_000, MIN_GRACE_MS);
}

/**
 * Why an occurrence that was recorded in time but not started, because its process ended, is not started any more; undefined
 * if it may start. `isLatest` is false when the schedule has a later occurrence.
 */
export function reasonNotStarted(
  { catchUp, graceMinutes }: Pick<Schedule, "catchUp" | "graceMinutes">,
  { dueAt, attempt }: Pick<Occurrence, "dueAt" | "attempt">,
  { now, isLatest, jitterSeconds }: { now: Date; isLatest: boolean; jitterSeconds: number },
): string | undefined {
  const lateMs = now.getTime() - Date.parse(dueAt);
  // A retry is late on purpose.
  if (attempt > 0 || lateMs <= graceOf({ graceMinutes }) + jitterSeconds * 1_000) return undefined;
  if (catchUp === "all" || (catchUp === "once" && isLatest)) return undefined;
  const rule =
    catchUp === "once"
      ? "Only the latest missed moment is caught up."
      : "Missed moments of this schedule are not caught up.";
  return `It was recorded in time, but its process ended; found ${describeDelay(lateMs)} late. ${rule}`;
}

/** A delay in words: "3 minutes", "2 hours", "4 days". */
export function describeDelay(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / 60_000));
  const [count, unit] =
    minutes < 120
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.round(minutes / 60), "hour"]
        : [Math.round(minutes / 1_440), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
