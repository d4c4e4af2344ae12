import { describeWhen } from "@metahuman/core/contract/describe-when";
import type { Schedule, ScheduleItem } from "@metahuman/core/contract/schedule";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { FollowingCall, Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isoDay, wallTimeOf } from "@metahuman/core/language/dates/clock";
import { isRelativeDate } from "@metahuman/core/language/dates/relative-dates";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import {
  amendTimes,
  describeSummary,
  isResuming,
  MAX_FOUND,
  RESUMES,
  scheduleMeant,
  scheduleResults,
  ScheduleIdArgument,
  ScheduleSummary,
  summaryOf,
  WhenArgument,
} from "../support/schedules.ts";

const Action = z.enum(["pause", "resume", "skip", "unskip", "run", "change"]);

const thing = "(schedule|automation|reminder|=scheduled)";
const pause = { action: "pause" };
const resume = { action: "resume" };
const run = { action: "run" };
const skip = { action: "skip" };
const move = "(move|shift|postpone|reschedule|change|set|push|put off|delay)";
const pronoun: Slot = { type: "reference", kind: "schedule", pronounOnly: true, sample: "it" };

const phrases: readonly (string | Phrase)[] = [
  { template: `pause the (${thing} {id}|{id} ${thing})`, args: pause },
  { template: `(resume|unpause|continue) the (${thing} {id}|{id} ${thing})`, args: resume },
  { template: `run the (${thing} {id}|{id} ${thing}) now`, args: run },
  { template: "skip {day}", args: skip },
  { template: "skip the next (=one|time|run|occurrence|reminder|schedule|automation)", args: skip },
  { template: `skip the next (${thing} {id}|{id} ${thing}|{id})`, args: skip },
  { template: "skip the {id} [on|for] {day}", args: skip },
  { template: `skip the (${thing} {id}|{id} ${thing}) {day}`, args: skip },
  { template: `${move} the (${thing} {id}|{id} ${thing}) [back|forward] (to|until|by) {when}` },
  { template: `${move} {id} [back|forward] (to|until|by) {when}`, slots: { id: pronoun } },
  { template: "=make {id} [at] {when}", slots: { id: pronoun } },
  { template: "run {id} now", args: run, slots: { id: pronoun } },
  { template: "pause {id}", args: pause, slots: { id: pronoun } },
  { template: "(resume|unpause) {id}", args: resume, slots: { id: pronoun } },
];

const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "schedule", sample: "stand-up" },
  day: "date",
  when: { type: "date", relative: true, sample: "10:30" },
};

const MAX_SEARCHED = 500;

/** The schedule to change: the one with the id or the words, or the only one that the change can apply to. */
async function targetOf(
  schedules: SchedulesPort,
  { id, action, day }: { id: string | undefined; action: z.infer<typeof Action>; day: string | undefined },
): Promise<string> {
  // Listed by their next moment.
  const isNext = id === undefined && action === "skip" && day === undefined;
  if (isNext) {
    const [next] = (await schedules.list({ limit: 1 })).items;
    if (next?.next[0] !== undefined) return next.id;
    throw new InvalidArgsError("Nothing is scheduled, so nothing can be skipped.");
  }

  if (id !== undefined) return (await scheduleMeant(schedules, id)).schedule.id;
  const { items } = await schedules.list({ limit: MAX_SEARCHED });
  const isDueOn = ({ next, timeZone }: ScheduleItem) =>
    next.some((at) => isoDay(wallTimeOf(new Date(at), timeZone)) === day);
  const possible = items.filter((item) =>
    action === "resume" ? !item.enabled : action === "skip" ? isDueOn(item) : item.enabled,
  );
  const [only, ...others] = possible;
  if (only && others.length === 0) return only.id;
  throw new InvalidArgsError(only ? "Several schedules match; give the id of one." : "No schedule matches.", {
    suggestions: possible.slice(0, 5).map((item) => `“${item.title}” has the id ${item.id}.`),
  });
}

/** The local day of the next moment of a schedule. */
async function nextDay(schedules: SchedulesPort, id: string): Promise<string> {
  const { schedule, next } = await schedules.get(id);
  if (next[0] === undefined)
    throw new InvalidArgsError(`“${schedule.title}” has no next time that could be skipped.`);
  return isoDay(wallTimeOf(new Date(next[0]), schedule.timeZone));
}

/** Throws `InvalidArgsError` for a day without a moment to skip; moments far ahead are not known. */
async function assertDue(schedules: SchedulesPort, id: string, day: string): Promise<void> {
  const { schedule, next } = await schedules.get(id);
  const days = next.map((at) => isoDay(wallTimeOf(new Date(at), schedule.timeZone)));
  const isKnown = day <= (days.at(-1) ?? day) || schedule.when.kind === "at";
  if (days.includes(day) || !isKnown || schedule.skipDays.includes(day)) return;
  throw new InvalidArgsError(`“${schedule.title}” does not run on ${day}, so nothing was skipped.`, {
    suggestions: days.slice(0, 3).map((one) => `It runs on ${one}.`),
  });
}

/** "Until Friday" changes only the last day. */
const ONLY_UNTIL = /^(?:until|till?)\s/iu;

/** Throws `InvalidArgsError` if a schedule that repeats would run only once from then on. */
async function assertRepeats(schedules: SchedulesPort, id: string, when: string): Promise<void> {
  const { schedule } = await schedules.get(id);
  if (schedule.when.kind === "at" || isRelativeDate(when) || ONLY_UNTIL.test(when)) return;
  const { timeZone } = schedule;
  const given = await schedules.preview({ when, timeZone });
  if (given.when.kind !== "at") return;
  throw new InvalidArgsError(`“${schedule.title}” repeats. Say how often it should run from now on.`, {
    suggestions: [
      "Give the whole recurrence, such as: every Tuesday at 9:00.",
      "For one time only, set a new reminder.",
    ],
  });
}

/** The times of a schedule in words that mean the same when they are read again; undefined if none do. */
async function timesInWords(
  schedules: SchedulesPort,
  { when, timeZone }: Schedule,
): Promise<string | undefined> {
  const words = describeWhen(when, timeZone);
  if (when.kind === "at") return when.at;
  // Words for an interval do not tell from which day it counts.
  if (when.kind === "every") return undefined;
  try {
    const read = await schedules.preview({ when: words, timeZone });
    return read.when.kind === "cron" && read.when.expression === when.expression ? words : undefined;
  } catch (error) {
    if (error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

const TIME_ALONE = /^(?:at |um )?(\d{1,2})(?:[:.](\d{2}))?(?: ?(am|pm|uhr|o['’]clock))?$/iu;

/** A time without a day, such as "at 10" or "9:30 pm", as the relative date that keeps the days; any other text unchanged. */
function keepingDays(when: string): string {
  const [, hour = "", minute = "00", half = ""] = TIME_ALONE.exec(when) ?? [];
  const afternoon = half.toLowerCase() === "pm" && Number(hour) < 12 ? 12 : 0;
  const midnight = half.toLowerCase() === "am" && Number(hour) === 12 ? -12 : 0;
  const relative = `T${String(Number(hour) + afternoon + midnight).padStart(2, "0")}:${minute}`;
  return hour !== "" && isRelativeDate(relative) ? relative : when;
}

/** Removes what would end the pause of a schedule later, because it ends now. */
async function endOfPause(schedules: SchedulesPort, title: string, runId: string | undefined): Promise<void> {
  for (const item of await schedules.find(`${RESUMES}${title}`, MAX_FOUND))
    if (isResuming(item, title)) await schedules.remove(item.id, { runId });
}

const DONE: Readonly<Record<z.infer<typeof Action>, string>> = {
  pause: "Paused",
  resume: "Resumed",
  skip: "Skipped",
  unskip: "No longer skipped:",
  run: "Started",
  change: "Changed",
};

const ORDERS: Readonly<Record<z.infer<typeof Action>, string>> = {
  pause: "Pause",
  resume: "Resume",
  skip: "Skip one time of",
  unskip: "No longer skip a day of",
  run: "Run now",
  change: "Change",
};

export const scheduleUpdate = defineSkill({
  id: "schedule_update",
  summary: "Pause, resume, run, skip or change a schedule",
  category: "schedules",
  input: z.strictObject({
    id: ScheduleIdArgument.optional(),
    action: Action.default("change"),
    day: dateArgument()
      .optional()
      .describe(
        "For skip: the day on which it does not run, else the next one; for unskip: the day on which it runs after all",
      ),
    when: WhenArgument.optional().describe("For change: the new time; T10:30 keeps the days"),
    title: z.string().trim().min(1).max(200).optional().describe("For change: the new title"),
  }),
  output: z.strictObject({
    id: z.string(),
    action: Action,
    schedule: ScheduleSummary,
    day: z.string().optional(),
    unskipped: z
      .array(z.string())
      .optional()
      .describe("The days that are no longer skipped, because nothing is due on them after the change"),
    previousWhen: z.string().optional().describe("For change: the times before, in words that change reads"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results: scheduleResults,
  amend: amendTimes,
  reverse: ({ outputs: { id, action, day, previousWhen } }) => {
    const undoCalls = (undoing: string): FollowingCall[] => [
      { skill: "schedule_update", args: { id, action: undoing, ...(day !== undefined && { day }) } },
    ];
    switch (action) {
      case "skip":
        return undoCalls("unskip");
      case "unskip":
        return undoCalls("skip");
      case "pause":
        return undoCalls("resume");
      case "resume":
        return undoCalls("pause");
      case "change":
        return previousWhen === undefined
          ? undefined
          : [{ skill: "schedule_update", args: { id, action, when: previousWhen } }];
      default:
        return undefined;
    }
  },
  async assess({ id, action, day, when, title }, { schedules }) {
    const target = await targetOf(schedules, { id, action, day: day?.slice(0, 10) });
    const { schedule, next } = await schedules.get(target);
    const summary = summaryOf(schedule, next);
    const facts = { "when now": summary.when, day, "new time": when, "new title": title };
    return {
      risk: "low",
      preview: {
        title: `${ORDERS[action]} “${schedule.title}”?`,
        target: schedule.id,
        facts: Object.entries(facts).flatMap(([label, value]) =>
          value === undefined ? [] : { label, value },
        ),
      },
      record: { id: schedule.id, title: schedule.title },
      paths: [],
      hosts: [],
    };
  },
  narrate: ({ action, schedule, day, unskipped = [] }, region) =>
    `${DONE[action]} ${day === undefined ? "" : `${day} of `}${describeSummary(schedule, region)}.${
      unskipped.length === 0 ? "" : ` It no longer skips ${unskipped.join(", ")}: nothing is due then.`
    }`,
  async run({ id, action, day, when, title }, { ports: { schedules }, now, runId }) {
    const target = await targetOf(schedules, { id, action, day: day?.slice(0, 10) });
    const { schedule: before } = await schedules.get(target);
    const { skipDays } = before;
    const onDay = day?.slice(0, 10) ?? (action === "skip" ? await nextDay(schedules, target) : undefined);
    const answer = async () => {
      switch (action) {
        case "pause":
          return schedules.pause(target);
        case "resume":
          await endOfPause(schedules, before.title, runId);
          return schedules.resume(target);
        case "skip":
          await assertDue(schedules, target, onDay ?? "");
          return schedules.skipDay(target, onDay ?? "");
        case "unskip":
          return schedules.edit(target, { skipDays: skipDays.filter((one) => one !== onDay) });
        case "run":
          await schedules.runNow(target);
          return schedules.get(target);
        case "change":
          if (when !== undefined) await assertRepeats(schedules, target, keepingDays(when));
          return schedules.edit(target, {
            ...(when !== undefined && { when: keepingDays(when) }),
            ...(title !== undefined && { title }),
          });
        default:
          return action satisfies never;
      }
    };
    const { schedule, next } = await answer();
    const isOnlyTime = action === "change" && title === undefined && schedule.until === before.until;
    const previousWhen = isOnlyTime ? await timesInWords(schedules, before) : undefined;
    const unskipped = action === "change" ? skipDays.filter((one) => !schedule.skipDays.includes(one)) : [];
    return {
      id: schedule.id,
      action,
      schedule: summaryOf(schedule, next, now),
      ...(onDay !== undefined && { day: onDay }),
      ...(unskipped.length > 0 && { unskipped }),
      ...(previousWhen !== undefined && { previousWhen }),
    };
  },
});
