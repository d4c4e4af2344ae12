import { Removed, restoreRemoved } from "../support/reversal.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import type { Schedule } from "@metahuman/core/contract/schedule";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import {
  describeTimes,
  ScheduleIdArgument,
  scheduleMeant,
  ScheduleSummary,
  summaryOf,
} from "../support/schedules.ts";
import { linePreview } from "../support/phrasing.ts";

const thing = "(=schedule|=automation)";

const phrases: readonly (string | Phrase)[] = [
  "stop reminding me (about|of|to) the {id}",
  `(delete|remove|cancel|stop|end) the ${thing} [about|for|to|called] {id}`,
  `(delete|remove|cancel|stop|end) the {id} ${thing}`,
  `(stop|end) [the|my|that] {id} =reminder`,
  "unschedule the {id}",
  {
    template: "(stop|end|cancel|delete|remove) {id}",
    slots: { id: { type: "reference", kind: "schedule", pronounOnly: true } },
  },
];

const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "schedule", sample: "bins" },
};

export const scheduleDelete = defineSkill({
  id: "schedule_delete",
  summary: "Delete a schedule or a reminder: into the archive",
  category: "schedules",
  input: z.strictObject({ id: ScheduleIdArgument }),
  output: z.strictObject({
    id: z.string(),
    schedule: ScheduleSummary,
    removed: Removed,
    openTask: z.string().optional().describe("The title of the reminder's task, if that is still open"),
  }),
  effects: "write",
  risk: "medium",
  idempotent: true,
  phrases,
  slots,
  async assess({ id }, { schedules }) {
    const { schedule, next } = await scheduleMeant(schedules, id);
    const { when, timeZone } = summaryOf(schedule, next);
    return {
      risk: "medium",
      preview: {
        title: `Delete the schedule “${schedule.title}”?`,
        target: schedule.id,
        facts: [
          { label: "when", value: when },
          { label: "time zone", value: timeZone },
        ],
      },
      record: { id: schedule.id, title: schedule.title },
      paths: [],
      hosts: [],
    };
  },
  reverse: restoreRemoved,
  // What was deleted has no next moment.
  narrate: ({ schedule, openTask }, region) =>
    [
      `Deleted ${describeTimes(schedule, region)}. It can be restored from the archive.`,
      ...(openTask === undefined ? [] : [`The task “${linePreview(openTask)}” is still open.`]),
    ].join(" "),
  async run({ id }, { ports: { schedules, tasks }, runId, assessment }) {
    // What was allowed is deleted, even if other titles have the words by now.
    const { schedule } = await scheduleMeant(schedules, assessment.record?.id ?? id);
    const removed = await schedules.remove(schedule.id, { runId });
    const openTask = await openTaskOf(schedule, tasks);
    return {
      id: schedule.id,
      schedule: summaryOf(schedule),
      removed,
      ...(openTask !== undefined && { openTask }),
    };
  },
});

/** The title of the task that a single reminder was created with; undefined without one, or if it is finished or deleted. */
async function openTaskOf({ what }: Pick<Schedule, "what">, tasks: TasksPort): Promise<string | undefined> {
  if (what.kind !== "reminder" || what.taskId === undefined) return undefined;
  try {
    const { title, status } = await tasks.get(what.taskId);
    return status === "done" || status === "cancelled" ? undefined : title;
  } catch (error) {
    if (error instanceof TaskNotFoundError) return undefined;
    throw error;
  }
}
