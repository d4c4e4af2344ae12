import { z } from "zod";

/** ISO 8601 in UTC with milliseconds, e.g. `2026-11-20T09:30:12.123Z`. */
export const Timestamp = z.iso.datetime();
export type Timestamp = z.infer<typeof Timestamp>;

/**
 * The name of a profile and its folder: lower-case letters, digits and hyphens, 1–32 characters, starting with a
 * letter.
 */
export const Username = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "use 1–32 lower-case letters, digits or hyphens, starting with a letter");
export type Username = z.infer<typeof Username>;

/** The id of a run; sorts by time. */
export const RunId = z.string().regex(/^run-[0-9a-z]{26}$/, "a run id looks like run-01jd…");
export type RunId = z.infer<typeof RunId>;

/** The id of a conversation; sorts by time. */
export const ConversationId = z
  .string()
  .regex(/^conv-[0-9a-z]{26}$/, "a conversation id looks like conv-01jd…");
export type ConversationId = z.infer<typeof ConversationId>;

/** The id of an approval; sorts by time. */
export const ApprovalId = z.string().regex(/^appr-[0-9a-z]{26}$/, "an approval id looks like appr-01jd…");
export type ApprovalId = z.infer<typeof ApprovalId>;

/** The id of a standing permission; sorts by time. */
export const GrantId = z.string().regex(/^grant-[0-9a-z]{26}$/, "a grant id looks like grant-01jd…");
export type GrantId = z.infer<typeof GrantId>;

/** `evt-20251114T093012123Z-<slug>`: sorts by time. */
export const MemoryId = z
  .string()
  .regex(
    /^evt-\d{8}T\d{9}Z-[a-z0-9-]{1,64}$/,
    "a memory id looks like evt-20251114T093012123Z-blue-notebook",
  );
export type MemoryId = z.infer<typeof MemoryId>;

/** `task-20251114T093012123Z-<slug>`: sorts by time. */
export const TaskId = z
  .string()
  .regex(/^task-\d{8}T\d{9}Z-[a-z0-9-]{1,64}$/, "a task id looks like task-20251114T093012123Z-buy-milk");
export type TaskId = z.infer<typeof TaskId>;

/** `func-YYYYMMDD-<6 base36>`. */
export const FunctionId = z
  .string()
  .regex(/^func-\d{8}-[0-9a-z]{6}$/, "a function id looks like func-20251114-abc123");
export type FunctionId = z.infer<typeof FunctionId>;

/** The agent of a run; it finds only its own functions. */
export const AgentId = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "an agent id looks like operator");

/** The id of a skill, which is also its name as a tool. */
export const SkillId = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "a skill id looks like fs_read");
export type SkillId = z.infer<typeof SkillId>;
