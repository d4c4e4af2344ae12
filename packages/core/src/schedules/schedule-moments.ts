import { z } from "zod";
import { QuietHours } from "../contract/agents.ts";
import { type Schedule, ScheduleWhen } from "../contract/schedule.ts";
import { dueMoments } from "./due-moments.ts";
import { instantOf, wallTimeOf, localDay } from "../language/dates/clock.ts";
import { nextMoment, type Timing } from "./next-moment.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";

/** How many moments of one schedule a calendar names one by one. */
const MAX_NAMED = 100;
/** How many further days of one schedule a calendar names. */
const MAX_DAYS = 400;
/** How many moments are looked through for those that are not skipped. */
const MAX_TRIED = 5_000;

/** The rules for when something is due, and for missed moments. */
export interface Timed extends Pick<Schedule, "enabled" | "catchUp" | "graceMinutes" | "skipDays">, Timing {
  /** Of the schedule or the agent. */
  id: string;
}

/**
 * Computes the next moment of a new or changed schedule. Moments that came before the change get their rows first. Does
 * nothing for a schedule whose timing is unchanged.
 */
export async function synchronizeMoment(schedule: Timed, ledger: OccurrenceLedger, now: Date): Promise<void> {
  const { id: scheduleId } = schedule;
  const timing = timingOf(schedule);
  const stored = await ledger.moment(scheduleId);
  if (stored?.timing === timing) return;
  if (stored) await recordPast(withTiming(schedule, stored.timing), ledger, now);
  const last = await ledger.lastDue(scheduleId);
  const after = last !== undefined && new Date(last) > now ? new Date(last) : now;
  const moment = schedule.enabled ? nextMoment(schedule, after) : undefined;
  await ledger.setMoment({
    scheduleId,
    timing,
    next: moment?.at.toISOString() ?? null,
    note: moment?.note ?? null,
  });
}

/** The stored next moment, or the one that will be stored once the scheduler has seen a change. */
export async function currentMoment(
  schedule: Timed,
  ledger: Pick<OccurrenceLedger, "moment">,
  now: Date,
): Promise<string | undefined> {
  const stored = await ledger.moment(schedule.id);
  if (stored?.timing === timingOf(schedule)) return stored.next ?? undefined;
  return schedule.enabled ? nextMoment(schedule, now)?.at.toISOString() : undefined;
}

/** Writes the rows of the moments that have come and that no process has recorded yet. */
export async function recordPast(schedule: Timed, ledger: OccurrenceLedger, now: Date): Promise<void> {
  for (;;) {
    const stored = await ledger.moment(schedule.id);
    if (!stored || stored.next === null || new Date(stored.next) > now) return;
    const first = { at: new Date(stored.next), ...(stored.note !== null && { note: stored.note }) };
    const { rows, next } = dueMoments(schedule, first, now);
    await ledger.advance([
      {
        scheduleId: schedule.id,
        expected: { timing: stored.timing, next: stored.next },
        rows,
        next: next?.at.toISOString() ?? null,
        note: next?.note ?? null,
      },
    ]);
  }
}

const StoredTiming = z.tuple([
  ScheduleWhen,
  z.string(),
  z.string().nullable(),
  z.boolean(),
  QuietHours.optional(),
]);

/** What the next moment depends on, as text, without `delayMs`: another delay applies from the moment after it. */
export function timingOf({ when, timeZone, until, enabled, startsOutside }: Timed): string {
  const timing: z.input<typeof StoredTiming> = [when, timeZone, until ?? null, enabled];
  if (startsOutside) timing.push(startsOutside);
  return JSON.stringify(timing);
}

/** A schedule with the timing that a text of `timingOf` describes. */
function withTiming({ until: _until, startsOutside: _outside, ...rules }: Timed, timing: string): Timed {
  const [when, timeZone, until, enabled, startsOutside] = StoredTiming.parse(JSON.parse(timing));
  return {
    ...rules,
    when,
    timeZone,
    enabled,
    ...(until !== null && { until }),
    ...(startsOutside && { startsOutside }),
  };
}

/** The next moments at which it runs: the stored one and those that follow, without skipped days. */
export function nextOf(
  schedule: Timed,
  stored: { next: string | null | readonly string[] } | undefined,
  count: number,
): string[] {
  const next = typeof stored?.next === "string" ? stored.next : stored?.next?.[0];
  if (!schedule.enabled || next === undefined) return [];
  const { skipDays, timeZone } = schedule;
  const isSkipped = (at: Date) => skipDays.length > 0 && skipDays.includes(localDay(at, timeZone));
  const moments = isSkipped(new Date(next)) ? [] : [next];
  let after: Date | undefined = new Date(next);
  // Every moment of a skipped day is passed over, of which there may be one each minute.
  for (let tried = 0; moments.length < count && after && tried < MAX_TRIED; tried += 1) {
    after = nextMoment(schedule, after)?.at;
    if (after && !isSkipped(after)) moments.push(after.toISOString());
  }
  return moments;
}

/** A planned moment; with `andMore`, the first of its local day that is named, of which that day may have others. */
export interface PlannedMoment {
  dueAt: string;
  andMore?: true;
}

/**
 * The moments from the stored one until `end`. Of a schedule with many, the first are all named; of each later day only
 * the first is, because computing a moment takes time and a day may have one each minute.
 */
export function plannedUntil(
  schedule: Timed,
  stored: { next: string | null | readonly string[] } | undefined,
  end: Date,
): PlannedMoment[] {
  const first = nextOf(schedule, stored, MAX_NAMED);
  const planned: PlannedMoment[] = first.filter((dueAt) => new Date(dueAt) < end).map((dueAt) => ({ dueAt }));
  const last = planned.at(-1);
  if (!last || planned.length < MAX_NAMED) return planned;
  const { timeZone, skipDays } = schedule;
  const next = nextMoment(schedule, new Date(last.dueAt))?.at;
  if (next && next < end && localDay(next, timeZone) === localDay(new Date(last.dueAt), timeZone))
    last.andMore = true;
  let midnight = nextMidnight(new Date(last.dueAt), timeZone);
  for (let days = 0; days < MAX_DAYS; days += 1) {
    const at = nextMoment(schedule, new Date(midnight.getTime() - 1))?.at;
    if (!at || at >= end) break;
    if (!skipDays.includes(localDay(at, timeZone))) planned.push({ dueAt: at.toISOString(), andMore: true });
    midnight = nextMidnight(at, timeZone);
  }
  return planned;
}

function nextMidnight(at: Date, timeZone: string): Date {
  const wall = wallTimeOf(at, timeZone);
  return instantOf({ ...wall, day: wall.day + 1, hour: 0, minute: 0 }, timeZone);
}
