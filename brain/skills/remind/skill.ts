import { Task } from "@metahuman/core/contract/task";
import { describeWhen } from "@metahuman/core/contract/describe-when";
import { isRecord } from "@metahuman/core/text/is-record";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import { plainWords } from "@metahuman/core/text/words";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { linePreview } from "../support/phrasing.ts";
import {
  amendTimes,
  describeSummary,
  MAX_FOUND,
  scheduleResults,
  ScheduleSummary,
  summaryOf,
  WhenArgument,
} from "../support/schedules.ts";

export const remind = defineSkill({
  id: "remind",
  summary: "Remind the person later, once or at regular times",
  category: "schedules",
  input: z.strictObject({
    text: z.string().trim().min(1).max(500).describe("What the person wants to be reminded of"),
    when: WhenArgument,
  }),
  output: z.strictObject({
    id: z.string(),
    schedule: ScheduleSummary,
    task: Task.optional().describe("For a single reminder: finishing the task ends the reminder"),
    existed: z
      .literal(true)
      .optional()
      .describe("Present if the same reminder stood already, so that none was created"),
    alike: z
      .string()
      .optional()
      .describe(
        "Another reminder at the same time that shares most of its words, so that one may be too many",
      ),
  }),
  effects: "write",
  risk: "low",
  // How often is read by the grammar itself; this phrase gives the cards an example.
  phrases: [{ template: "remind me every day to {text}", args: { when: "every day" } }],
  slots: { text: { type: "text", sample: "take the pills" } },
  results: scheduleResults,
  amend: amendTimes,
  reverse({ outputs }) {
    const { id, task, existed } = outputs;
    if (typeof id !== "string" || existed === true) return undefined;
    const taskId = isRecord(task) && typeof task["id"] === "string" ? task["id"] : undefined;
    return [
      { skill: "schedule_delete", args: { id } },
      ...(taskId === undefined ? [] : [{ skill: "task_delete", args: { id: taskId } }]),
    ];
  },
  narrate({ schedule, existed, alike }, region) {
    if (existed === true)
      return `You are reminded of this already, so no second reminder was created: ${describeSummary(schedule, region)}.`;
    const made = `You will be reminded of ${describeSummary(schedule, region)}.`;
    return alike === undefined ? made : `${made} At the same time, you are also reminded of “${alike}”.`;
  },
  async run({ text, when }, { ports: { schedules, tasks }, timeZone, locale }) {
    const preview = await schedules.preview({ when, timeZone }, { locale });
    const [due] = preview.next;
    const before = (await schedules.find(text, MAX_FOUND)).find(
      ({ what, when: times, until, enabled }) =>
        what.kind === "reminder" &&
        enabled &&
        plainWords(what.text).join(" ") === plainWords(text).join(" ") &&
        until === undefined &&
        !/\buntil\b/iu.test(when) &&
        describeWhen(times, timeZone) === describeWhen(preview.when, timeZone),
    );
    const isSingle = preview.when.kind === "at";
    if (before !== undefined)
      return { id: before.id, schedule: summaryOf(before, before.next), existed: true as const };
    const { items } = isSingle ? await schedules.list({ limit: MAX_COMPARED }) : { items: [] };
    const alike = items.find(
      (other) =>
        other.what.kind === "reminder" &&
        other.enabled &&
        other.next[0] === due &&
        isAlike(other.what.text, text),
    );
    const task = isSingle && due !== undefined ? await tasks.create({ title: text, due }) : undefined;
    const { schedule, next } = await schedules.create(
      {
        what: { kind: "reminder", text, ...(task && { taskId: task.id }) },
        // A single moment that counts from now stays as it was read first.
        when: task === undefined ? when : preview.when,
        timeZone,
      },
      { actor: "operator", region: { timeZone, locale } },
    );
    return {
      id: schedule.id,
      schedule: summaryOf(schedule, next),
      ...(task && { task }),
      ...(alike && { alike: linePreview(alike.title) }),
    };
  },
});

/** How many of the next schedules a single reminder is compared with. */
const MAX_COMPARED = 50;

/** True for texts that share two words, and at least half of those of the shorter one: "ring Ann and Bo", "call Ann and Bo". */
function isAlike(one: string, other: string): boolean {
  const [words, others] = [identifyingStems(one), new Set(identifyingStems(other))];
  const shared = words.filter((word) => others.has(word)).length;
  return shared >= 2 && shared * 2 >= Math.min(words.length, others.size);
}
