import { z } from "zod";
import { AgentName, QuietHours } from "./agents.ts";
import { Page } from "./http.ts";
import { FunctionId, RunId, SkillId, TaskId, Timestamp } from "./ids.ts";
import { MAX_GOAL } from "./limits.ts";
import { Locale, TimeZone } from "./region.ts";
import { TrustLevel } from "./trust.ts";

/** The shortest interval of a schedule, in seconds. */
export const MIN_INTERVAL_SECONDS = 60;

export const ScheduleId = z.string().regex(/^sched-[0-9a-z]{26}$/, "a schedule id looks like sched-01jd…");
export type ScheduleId = z.infer<typeof ScheduleId>;

/** The ids of the schedules of background agents in the ledger begin with this. */
export const AGENT_SCHEDULE_PREFIX = "agent-";

/** The id of a background agent's schedule in the ledger: `agent-librarian`. */
export const AgentScheduleId = z.templateLiteral([AGENT_SCHEDULE_PREFIX, AgentName]);
export type AgentScheduleId = z.infer<typeof AgentScheduleId>;

export const agentScheduleId = (agent: AgentName): AgentScheduleId => `${AGENT_SCHEDULE_PREFIX}${agent}`;

/** True if the schedule is that of a background agent, not one of a person. */
export const isAgentScheduleId = (id: string): boolean => id.startsWith(AGENT_SCHEDULE_PREFIX);

/** What an occurrence does: notifies the person, runs a function, or makes a request to the operator. */
export const ScheduleWhat = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("reminder"),
    text: z.string().trim().min(1).max(500),
    /** The task that the reminder belongs to: the reminder ends when the task is finished or deleted. */
    taskId: TaskId.optional(),
  }),
  z.strictObject({
    kind: z.literal("function"),
    functionId: FunctionId,
    values: z.record(z.string(), z.unknown()).default({}),
  }),
  z.strictObject({ kind: z.literal("request"), goal: z.string().trim().min(1).max(MAX_GOAL) }),
]);
export type ScheduleWhat = z.infer<typeof ScheduleWhat>;

const Expression = z
  .string()
  .trim()
  .max(200)
  .regex(
    /^[\dA-Za-z*,/#?-]+(?:\s+[\dA-Za-z*,/#?-]+){4}$/,
    "must be a cron expression of five fields: minute, hour, day of the month, month, day of the week",
  );
const Seconds = z
  .int()
  .min(MIN_INTERVAL_SECONDS, `must be at least ${MIN_INTERVAL_SECONDS}`)
  .max(366 * 86_400);

/** When a schedule is due: once, by a cron expression in its time zone, or at a fixed interval from `anchor`. */
export const ScheduleWhen = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("at"), at: Timestamp }),
  z.strictObject({ kind: z.literal("cron"), expression: Expression }),
  z.strictObject({ kind: z.literal("every"), seconds: Seconds, anchor: Timestamp }),
]);
export type ScheduleWhen = z.infer<typeof ScheduleWhen>;

/**
 * A `ScheduleWhen` from a person or a program: in words ("every weekday at 7:30"), or with a local time or an offset in
 * `at`. Without `anchor`, an interval begins when the schedule is created.
 */
export const ScheduleWhenInput = z.union([
  z.string().trim().min(1).max(200),
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("at"), at: z.string().trim().min(1).max(100) }),
    z.strictObject({ kind: z.literal("cron"), expression: Expression }),
    z.strictObject({
      kind: z.literal("every"),
      seconds: Seconds,
      anchor: z.iso.datetime({ offset: true }).optional(),
    }),
  ]),
]);
export type ScheduleWhenInput = z.infer<typeof ScheduleWhenInput>;

/** The treatment of moments that passed while nothing ran: the latest runs, all run, or none does. */
export const CatchUp = z.enum(["once", "all", "skip"]);
export type CatchUp = z.infer<typeof CatchUp>;

/** The treatment of an occurrence that is due while an earlier one of its schedule runs. */
export const Overlap = z.enum(["skip", "wait"]);
export type Overlap = z.infer<typeof Overlap>;

/** How much the occurrences of one schedule may use a day, in its time zone. */
export const ScheduleBudget = z.strictObject({
  modelCalls: z.int().positive().optional(),
  tokens: z.int().positive().optional(),
});
export type ScheduleBudget = z.infer<typeof ScheduleBudget>;

/** One schedule, stored as `memory/schedules/sched-….json`. */
export const Schedule = z.strictObject({
  id: ScheduleId,
  title: z.string().trim().min(1).max(200),
  what: ScheduleWhat,
  when: ScheduleWhen,
  /** In which local times are read; the person's when the schedule was created. */
  timeZone: TimeZone,
  /** For the dates and numbers of its runs; the person's when the schedule was created. Older schedules have none. */
  locale: Locale.optional(),
  /** Nothing is due after this moment. */
  until: Timestamp.optional(),
  catchUp: CatchUp,
  overlap: Overlap,
  /** How late an occurrence may start and still count as on time, in minutes. */
  graceMinutes: z.int().min(0).max(10_080),
  /** How long an occurrence waits for a person, in minutes. */
  approvalMinutes: z.int().min(1).max(10_080),
  /** Notices wait until these hours end, in the schedule's time zone; the work does not. */
  quietHours: QuietHours.optional(),
  /** Local days on which nothing runs: occurrences that are due then are recorded as skipped. */
  skipDays: z.array(z.iso.date()).max(400),
  budget: ScheduleBudget.optional(),
  /** The highest trust level of its occurrences; the profile's own limits it further. */
  trustLevel: TrustLevel,
  /** The skills and functions that its occurrences may use without asking. Reading needs none. */
  grants: z.array(z.union([SkillId, FunctionId])).max(200),
  /** Whether an occurrence can only be carried out with a language model. */
  needsModel: z.boolean(),
  enabled: z.boolean(),
  /** Why it was paused, unless a person paused it. */
  pausedReason: z.string().max(1_000).optional(),
  createdBy: z.string().max(64),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.int().positive(),
});
export type Schedule = z.infer<typeof Schedule>;

const Settings = Schedule.pick({
  title: true,
  timeZone: true,
  locale: true,
  catchUp: true,
  overlap: true,
  graceMinutes: true,
  approvalMinutes: true,
  trustLevel: true,
  grants: true,
  skipDays: true,
}).partial();

/** A schedule to create; what is left out gets its default. */
export const NewSchedule = z.strictObject({
  ...Settings.shape,
  what: ScheduleWhat,
  when: ScheduleWhenInput,
  until: z.iso.datetime({ offset: true }).optional(),
  quietHours: QuietHours.optional(),
  budget: ScheduleBudget.optional(),
  enabled: z.boolean().optional(),
});
export type NewSchedule = z.infer<typeof NewSchedule>;

/** A change of a schedule; a missing field keeps its value, `null` removes it. */
export const ScheduleEdit = z.strictObject({
  ...Settings.shape,
  what: ScheduleWhat.optional(),
  when: ScheduleWhenInput.optional(),
  until: z.iso.datetime({ offset: true }).nullable().optional(),
  quietHours: QuietHours.nullable().optional(),
  budget: ScheduleBudget.nullable().optional(),
  enabled: z.boolean().optional(),
  /** The version that this change starts from: it is refused when that is not the current one. */
  version: z.int().positive().optional(),
});
export type ScheduleEdit = z.infer<typeof ScheduleEdit>;

/** `due → running → succeeded | failed | missed | skipped`; the last four are final. */
export const OccurrenceState = z.enum(["due", "running", "succeeded", "failed", "missed", "skipped"]);
export type OccurrenceState = z.infer<typeof OccurrenceState>;

/** A due moment of a schedule and its outcome. */
export const Occurrence = z.strictObject({
  scheduleId: z.union([ScheduleId, AgentScheduleId]),
  dueAt: Timestamp,
  state: OccurrenceState,
  startedAt: Timestamp.optional(),
  endedAt: Timestamp.optional(),
  runId: RunId.optional(),
  /** The outcome of its run, in a word, or what was done. */
  outcome: z.string().optional(),
  /** Why it ended, is late or waits, as a sentence. */
  reason: z.string().optional(),
  /** The number of attempts so far. */
  attempt: z.int().nonnegative(),
});
export type Occurrence = z.infer<typeof Occurrence>;

/** A schedule with its next moments and its last occurrence. */
export const ScheduleItem = z.strictObject({
  ...Schedule.shape,
  next: z.array(Timestamp),
  lastOccurrence: Occurrence.nullable(),
});
export type ScheduleItem = z.infer<typeof ScheduleItem>;

export const SchedulePage = Page(ScheduleItem);
export const OccurrencePage = Page(Occurrence);

export const ScheduleAnswer = z.strictObject({
  schedule: Schedule,
  /** The next moments, at most five. */
  next: z.array(Timestamp),
  lastOccurrence: Occurrence.nullable(),
});
export type ScheduleAnswer = z.infer<typeof ScheduleAnswer>;

export const OccurrenceAnswer = z.strictObject({ occurrence: Occurrence });
export type OccurrenceAnswer = z.infer<typeof OccurrenceAnswer>;

export const SchedulePreviewRequest = z.strictObject({
  when: ScheduleWhenInput,
  /** If present, the preview states what occurrences may do. */
  what: ScheduleWhat.optional(),
  timeZone: TimeZone.optional(),
  until: z.iso.datetime({ offset: true }).optional(),
});
export type SchedulePreviewRequest = z.infer<typeof SchedulePreviewRequest>;

export const SchedulePreview = z.strictObject({
  when: ScheduleWhen,
  timeZone: TimeZone,
  /** `when` as a sentence: "every weekday at 07:30". */
  words: z.string(),
  next: z.array(Timestamp),
  /** The permissions of occurrences of `what`, as `POST /api/schedules` would store them. */
  limits: Schedule.pick({ trustLevel: true, grants: true, needsModel: true }).optional(),
});
export type SchedulePreview = z.infer<typeof SchedulePreview>;

/** Past and future occurrences between two moments. */
export const ScheduleCalendar = z.strictObject({
  /** Oldest first. */
  items: z.array(Occurrence),
  /** With `andMore`, the same day may have others, which are not listed. */
  planned: z.array(
    z.strictObject({ scheduleId: ScheduleId, dueAt: Timestamp, andMore: z.literal(true).optional() }),
  ),
});
export type ScheduleCalendar = z.infer<typeof ScheduleCalendar>;

/** `etc/schedules.json`. */
export const SchedulesConfig = z.strictObject({
  /** How many occurrences of one profile run at once. */
  maxConcurrent: z.int().min(1).max(16).default(1),
  /** Occurrences start up to this many seconds later, each by its own amount. */
  jitterSeconds: z.int().min(0).max(300).default(0),
  /** How often an attempt that failed for a passing reason is repeated, and how long before each, in seconds. */
  retryAfterSeconds: z.array(z.int().min(1).max(86_400)).max(10).default([60, 300, 900]),
});
export type SchedulesConfig = z.infer<typeof SchedulesConfig>;
