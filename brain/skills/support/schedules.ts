import { describeMoment, describeWhen } from "@metahuman/core/contract/describe-when";
import type { Region } from "@metahuman/core/contract/region";
import type { Occurrence, Schedule, ScheduleAnswer } from "@metahuman/core/contract/schedule";
import { isoDay, wallTimeOf } from "@metahuman/core/language/dates/clock";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import { formatCount } from "@metahuman/core/text/format";
import { z } from "zod";
import { linePreview } from "./phrasing.ts";
import { isRecord } from "@metahuman/core/text/is-record";
import type { Correction, FollowingCall, MadeCall, Results } from "@metahuman/core/language/grammar/phrase";
import { recurrenceAt } from "@metahuman/core/text/recurrence";
import { textField } from "../outputs.ts";

/** A schedule in the form in which skills return it. */
export const ScheduleSummary = z.strictObject({
  id: z.string(),
  title: z.string(),
  kind: z.enum(["reminder", "function", "request"]),
  when: z.string().describe("In words"),
  timeZone: z.string(),
  enabled: z.boolean(),
  next: z.string().optional().describe("The next moment, in words"),
  last: z.string().optional().describe("The last moment with its outcome, in words"),
  pausedReason: z.string().optional(),
  skipped: z.array(z.string()).optional().describe("The days from today on which it does not run"),
});
export type ScheduleSummary = z.infer<typeof ScheduleSummary>;

export const ScheduleIdArgument = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("The id from schedule_list, or words of its title");

/** The beginning of the request with which a pause until a day ends. */
export const RESUMES = "resume the schedule ";

/** True for a schedule that only ends the pause of another one, which has this title. */
export const isResuming = ({ what }: Pick<Schedule, "what">, title?: string): boolean =>
  what.kind === "request" &&
  (title === undefined ? what.goal.startsWith(RESUMES) : what.goal === `${RESUMES}${title}`);

/** How many schedules an error names. */
const MAX_NAMED = 5;

const withIds = (schedules: readonly Pick<Schedule, "title" | "id">[]): string[] =>
  schedules.slice(0, MAX_NAMED).map(({ title, id }) => `“${title}” has the id ${id}.`);

/**
 * The schedule with this id, or the only one whose title or content has these words. Throws `InvalidArgsError` if several have them,
 * and `NotFoundError` with the next schedules if none has.
 */
export async function scheduleMeant(schedules: SchedulesPort, words: string): Promise<ScheduleAnswer> {
  try {
    return await schedules.get(words);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  const [only, ...others] = await schedules.find(words, MAX_FOUND);
  if (only && others.length === 0) return schedules.get(only.id);
  if (only)
    throw new InvalidArgsError(
      `${formatCount(others.length + 1, "schedule")} match “${linePreview(words)}”.`,
      { suggestions: withIds([only, ...others]) },
    );
  const { items } = await schedules.list({ limit: MAX_NAMED });
  throw new NotFoundError(`No schedule matches “${linePreview(words)}”.`, { suggestions: withIds(items) });
}

/** The maximum number of schedules that are found by words. */
export const MAX_FOUND = 20;

/** The words for when something happens, as all skills of schedules take them. */
export const WhenArgument = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe(
    "2026-12-02 9:00 · 2026-12-02 in the morning · Friday at 9 · every weekday at 7:30 until 2026-12-24 · every 2 hours · on the first of the month · 30 7 * * 1-5",
  )
  .meta({ form: '"2026-12-02 9:00"|"every weekday at 7:30"' });

/** Corrects the time or the last day of the schedule that a call made or changed: "no, at 8", "until Christmas", "every 3 hours". */
export function amendTimes(
  { outputs: { id } }: MadeCall,
  { words, date }: Correction,
): FollowingCall[] | undefined {
  if (typeof id !== "string") return undefined;
  const isRecurrence = recurrenceAt(words)?.length === words.length;
  if (date === undefined && !isRecurrence) return undefined;
  const isLastDay = /^(?:until|till?)\s/iu.test(words);
  const when = isRecurrence || date === undefined ? words : isLastDay ? `until ${date}` : date;
  return [{ skill: "schedule_update", args: { id, when } }];
}

export const scheduleResults: Results = {
  reference: { schedule: "id" },
  label: ({ schedule }) => (isRecord(schedule) ? textField(schedule, "title") : ""),
};

/** The summary of a schedule with its next moments; with `now`, also the days from then on that it skips. */
export function summaryOf(schedule: Schedule, next: readonly string[] = [], now?: Date): ScheduleSummary {
  const { id, title, what, when, timeZone, until, enabled, pausedReason } = schedule;
  const [first] = next;
  const today = now && isoDay(wallTimeOf(now, timeZone));
  const skipped = today === undefined ? [] : schedule.skipDays.filter((day) => day >= today);
  return {
    id,
    title,
    kind: what.kind,
    when: describeWhen(when, timeZone, until),
    timeZone,
    enabled,
    ...(first !== undefined && { next: describeMoment(new Date(first), timeZone) }),
    ...(pausedReason !== undefined && { pausedReason }),
    ...(skipped.length > 0 && { skipped }),
  };
}

/** "succeeded on Monday 23 November 2026 at 07:30", and why it did not. */
export function describeLast({ state, dueAt, reason }: Occurrence, timeZone: string): string {
  const moment = `${state} on ${describeMoment(new Date(dueAt), timeZone)}`;
  return state === "succeeded" || reason === undefined ? moment : `${moment}: ${linePreview(reason)}`;
}

/** "“Stand up” every weekday at 07:30", with the time zone if it is not the person's: "… at 07:30 (Europe/Oslo)". */
export function describeTimes(
  { title, when, timeZone }: Pick<ScheduleSummary, "title" | "when" | "timeZone">,
  region: Pick<Region, "timeZone">,
): string {
  return `“${title}” ${when}${timeZone === region.timeZone ? "" : ` (${timeZone})`}`;
}

/** "“Stand up” every weekday at 07:30, next on Monday 23 November 2026 at 07:30" */
export function describeSummary(summary: ScheduleSummary, region: Pick<Region, "timeZone">): string {
  const { when, enabled, next, last, pausedReason, skipped = [] } = summary;
  const state = !enabled
    ? `paused${pausedReason === undefined ? "" : `: ${pausedReason.replace(/\.$/u, "")}`}`
    : next === undefined
      ? "ended"
      : when.startsWith("on ") && when.endsWith(next)
        ? ""
        : `next on ${next}`;
  const failure = last !== undefined && /^(?:failed|missed) /u.test(last) ? last.replace(/\.$/u, "") : "";
  const parts = [state, failure, skippedText(skipped)].filter((part) => part !== "");
  return [describeTimes(summary, region), ...parts].join(", ");
}

/** "not on 2026-12-22, 2026-12-29"; `""` without such days. */
export const skippedText = (days: readonly string[] = []): string =>
  days.length === 0 ? "" : `not on ${days.join(", ")}`;
