import { z } from "zod";
import { Timestamp } from "./ids.ts";

/** The five fields of a cron expression with their bounds; 7 is also Sunday. */
const FIELDS = [
  ["minute", 0, 59],
  ["hour", 0, 23],
  ["day of the month", 1, 31],
  ["month", 1, 12],
  ["day of the week", 0, 7],
] as const;

// A star, `5` or `5-9`; a star or a range may be followed by a slash and a step.
const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** Returns why this is not a cron expression of five numeric fields; undefined if it is valid. */
function cronProblem(line: string): string | undefined {
  const fields = line.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return "must be five fields: minute, hour, day of the month, month, day of the week";
  for (const [index, [name, min, max]] of FIELDS.entries()) {
    const parts = fields[index]?.split(",") ?? [];
    if (!parts.every((part) => isPart(part, min, max)))
      return `has a ${name} that is not *, a number from ${min} to ${max}, a range or a step`;
  }
  return undefined;
}

function isPart(part: string, min: number, max: number): boolean {
  const found = PART.exec(part);
  if (!found) return false;
  const [, from, to, step] = found;
  if (step !== undefined && (Number(step) < 1 || (from !== undefined && to === undefined))) return false;
  const first = Number(from ?? min);
  const last = Number(to ?? first);
  return min <= first && first <= last && last <= max;
}

/** A schedule as a cron expression in the machine's local time: `30 3 * * *` is every night at 03:30. */
export const CronLine = z.string().superRefine((line, context) => {
  const problem = cronProblem(line);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem, input: line });
});
export type CronLine = z.infer<typeof CronLine>;

/** The background agents of a profile. */
export const AgentName = z.enum(["ingestor", "librarian", "pattern-miner", "reflector"]);
export type AgentName = z.infer<typeof AgentName>;

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 22:30");

/**
 * A time of day, in the machine's local time, in which no scheduled run of an agent starts. May extend past midnight.
 */
export const QuietHours = z.strictObject({ from: TimeOfDay, to: TimeOfDay });
export type QuietHours = z.infer<typeof QuietHours>;

/** The settings of one agent in `etc/agents.json`. */
export const AgentSettings = z.strictObject({
  /** If false, the agent runs only on request. */
  enabled: z.boolean().default(true),
  schedule: CronLine,
  quietHours: QuietHours.nullable().default(null),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

const usually = (schedule: string) =>
  AgentSettings.extend({ schedule: CronLine.default(schedule) }).prefault({});

/** `etc/agents.json`: schedules and quiet hours of the background agents. */
export const AgentsConfig = z.strictObject({
  ingestor: usually("*/5 * * * *"),
  librarian: usually("40 * * * *"),
  "pattern-miner": usually("10 * * * *"),
  reflector: usually("30 3 * * *"),
} satisfies Record<AgentName, z.ZodType<AgentSettings>>);
export type AgentsConfig = z.infer<typeof AgentsConfig>;

/** The id of one run of an agent; sorts by time. */
export const AgentRunId = z
  .string()
  .regex(/^job-[0-9a-z]{26}$/, "the id of an agent's run looks like job-01jd…");
export type AgentRunId = z.infer<typeof AgentRunId>;

/** The cause of an agent's run: its schedule, a person, or the operator for a person. */
export const AgentTrigger = z.enum(["schedule", "person", "operator"]);
export type AgentTrigger = z.infer<typeof AgentTrigger>;

/** `stopped`: by a person or a shutdown. `interrupted`: its process ended before the run did. */
export const AgentRunStatus = z.enum(["running", "finished", "failed", "stopped", "interrupted"]);
export type AgentRunStatus = z.infer<typeof AgentRunStatus>;

/** Something that an agent could not process, with the reason: a file in the inbox, an unreadable record. */
export const AgentProblem = z.strictObject({ subject: z.string().max(1_000), reason: z.string().max(2_000) });
export type AgentProblem = z.infer<typeof AgentProblem>;

export const AgentRun = z.strictObject({
  id: AgentRunId,
  agent: AgentName,
  trigger: AgentTrigger,
  status: AgentRunStatus,
  startedAt: Timestamp,
  endedAt: Timestamp.optional(),
  /** The result in one sentence; the reason if the run failed. */
  summary: z.string().optional(),
  /** Items that the agent left unchanged because of a problem; only the first ones if there are many. */
  problems: z.array(AgentProblem).optional(),
});
export type AgentRun = z.infer<typeof AgentRun>;

/** The severity of a log line. */
export const AgentLogLevel = z.enum(["info", "warning", "error"]);
export type AgentLogLevel = z.infer<typeof AgentLogLevel>;

/** One line of an agent's log. */
export const AgentLogLine = z.strictObject({
  runId: AgentRunId,
  at: Timestamp,
  level: AgentLogLevel,
  message: z.string(),
});
export type AgentLogLine = z.infer<typeof AgentLogLine>;

/** An agent with its settings and current state. */
export const AgentCard = z.strictObject({
  name: AgentName,
  title: z.string(),
  about: z.string(),
  /** True if the agent does nothing without a language model. */
  needsModel: z.boolean(),
  ...AgentSettings.shape,
  /** Whether a person paused it in this profile: then it runs only on request. */
  paused: z.boolean(),
  running: z.boolean(),
  currentRun: AgentRun.nullable(),
  /** The last run that has ended. */
  lastRun: AgentRun.nullable(),
  /** The next scheduled start; null while the agent is disabled or paused. */
  nextRun: Timestamp.nullable(),
});
export type AgentCard = z.infer<typeof AgentCard>;

export const AgentAnswer = z.strictObject({ agent: AgentCard });
export type AgentAnswer = z.infer<typeof AgentAnswer>;

/** With `wait`, the answer is sent when the run has ended instead of when it has started. */
export const AgentRunRequest = z.strictObject({ wait: z.boolean().default(false) });
export type AgentRunRequest = z.infer<typeof AgentRunRequest>;

/** The run that was started, or the finished run with `wait`. */
export const AgentRunAnswer = z.strictObject({ run: AgentRun });
export type AgentRunAnswer = z.infer<typeof AgentRunAnswer>;

/** `run` is null if there was nothing to stop. */
export const AgentStopAnswer = z.strictObject({ run: AgentRun.nullable() });
export type AgentStopAnswer = z.infer<typeof AgentStopAnswer>;
