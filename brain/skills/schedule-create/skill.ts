import { oneOf } from "@metahuman/core/text/patterns";
import { describeGrants, NO_CHANGES } from "@metahuman/core/text/describe-grants";
import { describeMoment } from "@metahuman/core/contract/describe-when";
import { FunctionId } from "@metahuman/core/contract/ids";
import { MAX_GOAL } from "@metahuman/core/contract/limits";
import type { NewSchedule, Schedule } from "@metahuman/core/contract/schedule";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { MAY_BE_ORDER } from "@metahuman/core/language/scheduled-request";
import { TRUST_LABELS } from "@metahuman/core/text/policy-labels";
import { z } from "zod";
import { type Assessment, defineSkill, type NestedCall } from "../define-skill.ts";
import { removeCreated } from "../support/reversal.ts";
import {
  amendTimes,
  describeSummary,
  scheduleResults,
  ScheduleSummary,
  summaryOf,
  WhenArgument,
} from "../support/schedules.ts";

/** Text that begins with another time, or only describes a day, is not a request. */
const GOAL = new RegExp(`${MAY_BE_ORDER.source}(?!(?:at|on|in|from|between|until)\\b)`, "iu");

const Input = z.strictObject({
  goal: z.string().trim().min(1).max(MAX_GOAL).optional().describe("The request to carry out, in full"),
  functionId: FunctionId.optional().describe("Instead of goal: the function to run"),
  values: z.record(z.string(), z.unknown()).optional().describe("Values of the function's parameters"),
  when: WhenArgument,
  title: z.string().trim().min(1).max(200).optional(),
});

const URLS = /https?:\/\/[^\s"'<>)\]]+/giu;

const REMINDER_WORDS = oneOf(
  "remind me (?:to|of|about|that)|erinnere? mich (?:bitte )?(?:an|daran,?)",
  "rappelle[- ]moi (?:de|d['’]|que)|recu[eé]rdame(?: que| de)?|ricordami (?:di|che)",
  "påminn mig om(?: att)?|muistuta minua",
);
/** "Remind me to put the bins out", with what to remind of; several sentences are a request. */
const REMINDER = new RegExp(String.raw`^(?:please |bitte )?${REMINDER_WORDS} ?([^.;!?]+)[.!]?$`, "iu");

function newSchedule({ goal, functionId, values, when, title }: z.output<typeof Input>): NewSchedule {
  if ((goal === undefined) === (functionId === undefined))
    throw new InvalidArgsError("schedule_create: give either goal or functionId.");
  const times = { when, ...(title !== undefined && { title }) };
  const reminder = REMINDER.exec(goal ?? "")?.[1];
  if (reminder !== undefined) return { what: { kind: "reminder", text: reminder }, ...times };
  return {
    what:
      functionId === undefined
        ? { kind: "request", goal: goal ?? "" }
        : { kind: "function", functionId, values: values ?? {} },
    ...times,
  };
}

/** The calls that occurrences may make without asking. Scheduling them needs the same approval as the calls themselves. */
function callsOf({ grants, what }: Schedule, cards: readonly SkillCard[]): NestedCall[] {
  const urls = what.kind === "request" ? [...what.goal.matchAll(URLS)].map(([url]) => url) : [];
  const hosts = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).host);
  return cards
    .filter(({ id }) => grants.includes(id))
    .map(({ id, effect, risk, requiresApproval, asksPerHost = false }) => ({
      skill: id,
      effect,
      risk,
      requiresApproval,
      asksPerHost,
      hosts: asksPerHost ? [...new Set(hosts)] : [],
      paths: [],
    }));
}

const DAY_SECONDS = 86_400;

function factsOf(
  schedule: Schedule,
  next: readonly string[],
  { hosts, mayDo }: { hosts: readonly string[]; mayDo: string },
): Assessment["preview"]["facts"] {
  const { trustLevel, timeZone, needsModel, what, when } = schedule;
  // Hours and minutes count from the approval, so the moments would differ from those shown.
  const areMoving = when.kind === "every" && when.seconds % DAY_SECONDS !== 0;
  const moments = next.map((at) => describeMoment(new Date(at), timeZone));
  return [
    ...(what.kind === "request" ? [{ label: "request", value: what.goal }] : []),
    ...(what.kind === "function" && Object.keys(what.values).length > 0
      ? [{ label: "values", value: JSON.stringify(what.values) }]
      : []),
    { label: "when", value: summaryOf(schedule).when },
    ...(areMoving ? [] : [{ label: "next", value: moments.join("\n"), varies: true }]),
    { label: "time zone", value: timeZone },
    { label: "trust level", value: TRUST_LABELS[trustLevel] },
    { label: "may do without asking", value: mayDo },
    ...(hosts.length > 0 ? [{ label: "hosts", value: hosts.join(", ") }] : []),
    ...(needsModel ? [{ label: "needs", value: "a language model each time" }] : []),
  ];
}

export const scheduleCreate = defineSkill({
  id: "schedule_create",
  summary: "Schedule a request or a function for later or for regular times",
  category: "schedules",
  input: Input,
  output: z.strictObject({
    id: z.string(),
    schedule: ScheduleSummary,
    next: z.array(z.string()).describe("The next five moments"),
    mayUse: z.array(z.string()).describe("The ids of what it may use without asking"),
    mayDo: z.string().describe("The same in words: what it may change"),
    needsModel: z.boolean(),
  }),
  effects: "write",
  risk: "low",
  reverse: removeCreated("schedule_delete"),
  notes: "For a reminder use remind. The goal must be complete by itself: it runs without this conversation.",
  // How often is read by the grammar itself; these phrases give the cards examples.
  phrases: [
    { template: "every day {goal}", args: { when: "every day" } },
    { template: "each day {goal}", args: { when: "each day" } },
    { template: "on mondays {goal}", args: { when: "on mondays" } },
  ],
  // Words for a time that are left over are not a request.
  slots: {
    goal: { type: "text", sample: "read out/notes.md", like: GOAL },
  },
  results: scheduleResults,
  async assess(args, { schedules, catalog }) {
    const given = newSchedule(args);
    const draft = await schedules.draft(given, { actor: "operator" });
    const { next } = await schedules.preview({ when: given.when, timeZone: draft.timeZone });
    const cards = catalog();
    const nested = callsOf(draft, cards);
    const hosts = [...new Set(nested.flatMap((call) => call.hosts))];
    const { title: _title, ...untitled } = given;
    const functionTitle =
      draft.what.kind === "function"
        ? (await schedules.draft(untitled, { actor: "operator" })).title
        : undefined;
    return {
      risk: "low",
      preview: {
        title: `Schedule “${draft.title}”?`,
        facts: factsOf(draft, next, { hosts, mayDo: describeGrants(draft.grants, cards) }),
      },
      ...(draft.what.kind === "function" &&
        functionTitle !== undefined && { record: { id: draft.what.functionId, title: functionTitle } }),
      paths: [],
      hosts: [],
      nested,
    };
  },
  amend: amendTimes,
  narrate({ schedule, mayDo, needsModel }, region) {
    if (schedule.kind === "reminder") return `You will be reminded of ${describeSummary(schedule, region)}.`;
    const uses = mayDo === NO_CHANGES ? "It changes nothing." : `Without asking it may do this: ${mayDo}.`;
    const model = needsModel
      ? " It needs a language model each time: without one it fails when it is due, and you are told."
      : "";
    return `Scheduled ${describeSummary(schedule, region)}. ${uses}${model}`;
  },
  async run(args, { ports, timeZone, locale }) {
    const { schedule, next } = await ports.schedules.create(newSchedule(args), {
      actor: "operator",
      region: { timeZone, locale },
    });
    return {
      id: schedule.id,
      schedule: summaryOf(schedule, next),
      next,
      mayUse: schedule.grants,
      mayDo: describeGrants(schedule.grants, ports.catalog()),
      needsModel: schedule.needsModel,
    };
  },
});
