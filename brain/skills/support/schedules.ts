import { describeMoment, describeWhen } from "@metahuman/core/contract/describe-when";
import type { Schedule } from "@metahuman/core/contract/schedule";
import { z } from "zod";
import { isRecord } from "@metahuman/core/text/is-record";
import type { Results } from "@metahuman/core/language/grammar/phrase";
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
  pausedReason: z.string().optional(),
});
export type ScheduleSummary = z.infer<typeof ScheduleSummary>;

export const ScheduleIdArgument = z.string().trim().min(1).max(200).describe("The id from schedule_list");

/** The words for when something happens, as all skills of schedules take them. */
export const WhenArgument = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe(
    "2026-12-02 9:00 · 2026-12-02 in the morning · Friday at 9 · every weekday at 7:30 · every 2 hours · on the first of the month · 30 7 * * 1-5",
  )
  .meta({ form: '"2026-12-02 9:00"|"every weekday at 7:30"' });

export const scheduleResults: Results = {
  reference: { schedule: "id" },
  label: ({ schedule }) => (isRecord(schedule) ? textField(schedule, "title") : ""),
};

export function summaryOf(schedule: Schedule, next: readonly string[] = []): ScheduleSummary {
  const { id, title, what, when, timeZone, enabled, pausedReason } = schedule;
  const [first] = next;
  return {
    id,
    title,
    kind: what.kind,
    when: describeWhen(when, timeZone),
    timeZone,
    enabled,
    ...(first !== undefined && { next: describeMoment(new Date(first), timeZone) }),
    ...(pausedReason !== undefined && { pausedReason }),
  };
}

/** "“Stand up” every weekday at 07:30 (Europe/Oslo)" */
export function describeTimes({
  title,
  when,
  timeZone,
}: Pick<ScheduleSummary, "title" | "when" | "timeZone">): string {
  return `“${title}” ${when} (${timeZone})`;
}

/** "“Stand up” every weekday at 07:30 (Europe/Oslo), next on Monday 23 November 2026 at 07:30" */
export function describeSummary(summary: ScheduleSummary): string {
  const { when, enabled, next, pausedReason } = summary;
  const state = !enabled
    ? `paused${pausedReason === undefined ? "" : `: ${pausedReason.replace(/\.$/u, "")}`}`
    : next === undefined
      ? "ended"
      : when.startsWith("on ") && when.endsWith(next)
        ? ""
        : `next on ${next}`;
  return `${describeTimes(summary)}${state === "" ? "" : `, ${state}`}`;
}
