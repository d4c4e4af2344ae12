import { z } from "zod";
import { CronLine } from "./cron.ts";
import { Timestamp } from "./ids.ts";

/** The agents that work over a profile in the background. */
export const AgentName = z.enum(["ingestor", "librarian", "pattern-miner", "reflector"]);
export type AgentName = z.infer<typeof AgentName>;

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 22:30");

/** A part of the day, in the machine's own time, in which nothing begins by itself; it may go past midnight. */
export const QuietHours = z.strictObject({ from: TimeOfDay, to: TimeOfDay });
export type QuietHours = z.infer<typeof QuietHours>;

/** What `etc/agents.json` says of one agent. */
export const AgentSettings = z.strictObject({
  /** False: it runs only when somebody asks for it. */
  enabled: z.boolean().default(true),
  schedule: CronLine,
  quietHours: QuietHours.nullable().default(null),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

const usually = (schedule: string) =>
  AgentSettings.extend({ schedule: CronLine.default(schedule) }).prefault({});

/** `etc/agents.json`. */
export const AgentsConfig = z.strictObject({
  ingestor: usually("*/5 * * * *"),
  librarian: usually("40 * * * *"),
  "pattern-miner": usually("10 * * * *"),
  reflector: usually("30 3 * * *"),
} satisfies Record<AgentName, z.ZodType<AgentSettings>>);
export type AgentsConfig = z.infer<typeof AgentsConfig>;

export const AgentRunId = z
  .string()
  .regex(/^job-[0-9a-z]{26}$/, "the id of an agent's run looks like job-01jd…");
export type AgentRunId = z.infer<typeof AgentRunId>;

/** What set an agent off: its schedule, a person, or the operator on a person's behalf. */
export const AgentTrigger = z.enum(["schedule", "person", "operator"]);
export type AgentTrigger = z.infer<typeof AgentTrigger>;

/** `stopped` by a person or a shutdown; `interrupted`: its process was gone before it ended. */
export const AgentRunStatus = z.enum(["running", "finished", "failed", "stopped", "interrupted"]);
export type AgentRunStatus = z.infer<typeof AgentRunStatus>;

/** Something that an agent could not deal with, and why: a file in the inbox, a record that cannot be read. */
export const AgentProblem = z.strictObject({ subject: z.string().max(1_000), reason: z.string().max(2_000) });
export type AgentProblem = z.infer<typeof AgentProblem>;

/** One time that an agent worked. */
export const AgentRun = z.strictObject({
  id: AgentRunId,
  agent: AgentName,
  trigger: AgentTrigger,
  status: AgentRunStatus,
  startedAt: Timestamp,
  endedAt: Timestamp.optional(),
  /** What came of it, in a sentence; why it failed, when it did. */
  summary: z.string().optional(),
  /** What it left as it was; the first of them when there are many. */
  problems: z.array(AgentProblem).optional(),
});
export type AgentRun = z.infer<typeof AgentRun>;

export const AgentLogLevel = z.enum(["info", "warning", "error"]);
export type AgentLogLevel = z.infer<typeof AgentLogLevel>;

/** One line of what an agent tells of its work. */
export const AgentLogLine = z.strictObject({
  runId: AgentRunId,
  at: Timestamp,
  level: AgentLogLevel,
  message: z.string(),
});
export type AgentLogLine = z.infer<typeof AgentLogLine>;

/** An agent with where it stands. */
export const AgentCard = z.strictObject({
  name: AgentName,
  title: z.string(),
  about: z.string(),
  /** It does nothing while no language model is connected. */
  needsModel: z.boolean(),
  ...AgentSettings.shape,
  running: z.boolean(),
  currentRun: AgentRun.nullable(),
  /** The last one that has ended. */
  lastRun: AgentRun.nullable(),
  /** When it begins by itself next; null while it is switched off. */
  nextRun: Timestamp.nullable(),
});
export type AgentCard = z.infer<typeof AgentCard>;

/** `wait`: answer when it has ended, not when it has begun. */
export const AgentRunRequest = z.strictObject({ wait: z.boolean().default(false) });
export type AgentRunRequest = z.infer<typeof AgentRunRequest>;

export const AgentRunAnswer = z.strictObject({ run: AgentRun });
export type AgentRunAnswer = z.infer<typeof AgentRunAnswer>;

/** `run` is null when there was nothing to stop. */
export const AgentStopAnswer = z.strictObject({ run: AgentRun.nullable() });
export type AgentStopAnswer = z.infer<typeof AgentStopAnswer>;
