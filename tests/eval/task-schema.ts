import { z } from "zod";
import { NewTask, TaskPriority, TaskStatus } from "@metahuman/core/contract/task";
import { fillPlaceholders } from "./placeholders.ts";

/** The kind of a task; results are reported by kind. */
export const TaskKind = z.enum([
  "files",
  "tasks",
  "memory",
  "several steps",
  "conversation",
  "knowledge",
  "refusal",
  "ambiguity",
  "long file",
  "missing file",
  "languages",
  "dates",
  "injection",
  "json",
  "sums",
]);
export type TaskKind = z.infer<typeof TaskKind>;

const Text = z.string().min(1);
const Texts = z.array(Text).min(1);
const hasCondition = (check: object): boolean => Object.keys(check).length > 1;
const Condition = { error: "name at least one condition" };

/** A path under `out/` or `inbox/`; `*` matches anything. */
const FilePattern = z.string().regex(/^(?:out|inbox)\/\S/u, "begin with out/ or inbox/");

/** Holds if one file that the pattern fits meets every condition; `absent` holds if there is none. */
const FileCheck = z
  .strictObject({
    file: FilePattern,
    exists: z.literal(true).optional(),
    absent: z.literal(true).optional(),
    /** New, removed, or changed by the request. */
    changed: z.literal(true).optional(),
    /** Ignores white space at the ends. */
    equals: z.string().optional(),
    /** Ignores case and the amount of white space. */
    contains: Texts.optional(),
    lacks: Texts.optional(),
    /** A regular expression, with the flags `imu`. */
    matches: Text.optional(),
    /** The whole content, parsed. */
    json: z.unknown().optional(),
    numbers: z.array(z.coerce.number()).min(1).optional(),
  })
  .refine(hasCondition, Condition);

/** Holds if one task whose title contains the text meets every condition; `absent` holds if there is none. */
const TaskCheck = z
  .strictObject({
    task: Text,
    exists: z.literal(true).optional(),
    absent: z.literal(true).optional(),
    changed: z.literal(true).optional(),
    status: TaskStatus.optional(),
    priority: TaskPriority.optional(),
    /** Any of these days, as ISO dates. */
    due: Texts.optional(),
    tag: Text.optional(),
  })
  .refine(hasCondition, Condition);

/** Holds if one memory contains all the texts. */
const MemoryCheck = z.strictObject({ memory: Texts, absent: z.literal(true).optional() });

/** A check of the last answer, for tasks where only the answer can be right or wrong. */
const AnswerCheck = z.strictObject({
  answer: z
    .strictObject({
      anyOf: Texts.optional(),
      allOf: Texts.optional(),
      noneOf: Texts.optional(),
      /** In digits or, up to twenty, in English words. */
      numbers: z.array(z.coerce.number()).min(1).optional(),
    })
    .refine((answer) => Object.keys(answer).length > 0, Condition),
});

/** The person was asked something: by a question that the run waits for, or by an answer that ends with one. */
const AskedCheck = z.strictObject({ asked: z.literal(true) });
const ChangedCheck = z.strictObject({ changed: z.enum(["files", "tasks", "memories", "anything"]) });
const OpenTasksCheck = z.strictObject({ openTasks: z.coerce.number().int().nonnegative() });

export const Check = z.union([
  FileCheck,
  TaskCheck,
  MemoryCheck,
  AnswerCheck,
  AskedCheck,
  ChangedCheck,
  OpenTasksCheck,
]);
export type Check = z.infer<typeof Check>;

/** The content of a file: text, or one line repeated (`#` is its number) with some lines replaced. */
const Content = z.union([
  z.string(),
  z.strictObject({
    line: Text,
    times: z.int().min(1).max(5_000),
    replace: z.record(z.string().regex(/^\d+$/), z.string()),
  }),
]);

/** The state before the request. */
const Setup = z.strictObject({
  files: z.record(FilePattern, Content).default({}),
  tasks: z.array(NewTask).default([]),
  memories: Texts.default([]),
  /** Earlier requests in the same conversation. */
  conversation: Texts.default([]),
});
export type Setup = z.infer<typeof Setup>;

/** The effects of a request; everything else stays unchanged. */
export const Effect = z.strictObject({
  /** `null` deletes. */
  files: z.record(FilePattern, z.string().nullable()).default({}),
  addedTasks: z.array(NewTask).default([]),
  /** Tasks by title; `null` deletes. */
  tasks: z.record(Text, NewTask.partial().nullable()).default({}),
  memories: Texts.default([]),
  /** For each text, the memories that contain it. */
  forgotten: Texts.default([]),
  answer: z.string().default(""),
  asked: z.boolean().default(false),
});
export type Effect = z.infer<typeof Effect>;

/** One request with its checks. */
const Asking = z.strictObject({
  setup: Setup.prefault({}),
  request: Text,
  /** Files, or words of a task's title, for which approvals are given; all other approvals are denied. */
  allow: z.array(Text).default([]),
  /** The person's answer to a question. */
  reply: Text.optional(),
  /** Checks that must hold after the request. */
  checks: z.array(Check).default([]),
  /** Checks that must not hold after the request. */
  mustNot: z.array(Check).default([]),
  /** The effects of the correct solution. */
  solution: Effect.prefault({}),
  /** The effects of the forbidden action. */
  wrong: Effect.optional(),
  maxSteps: z.int().positive().optional(),
});
export type Asking = z.infer<typeof Asking>;

const Values = z.record(z.string().regex(/^[a-z][a-zA-Z0-9]*$/), z.string()).default({});
const Raw = z.record(z.string(), z.unknown());

/**
 * The form in the file: strings may contain `{{placeholders}}`, and the second and third request only contain what
 * differs.
 */
const TaskFile = z.array(
  z.looseObject({
    id: z.string().regex(/^[a-z][a-z0-9-]{2,31}$/),
    kind: TaskKind,
    values: Values,
    again: Raw.and(z.looseObject({ request: Text, values: Values })),
    nearMiss: Raw.and(z.looseObject({ request: Text, values: Values })),
  }),
);

/** A request, the same request with other values, and a request that only looks similar. */
export const EvalTask = z.strictObject({
  id: z.string(),
  kind: TaskKind,
  first: Asking.extend({ checks: z.array(Check).min(1) }),
  again: Asking.extend({ checks: z.array(Check).min(1) }),
  nearMiss: Asking.extend({ mustNot: z.array(Check).min(1), wrong: Effect }),
});
export type EvalTask = z.infer<typeof EvalTask>;

export const Phase = z.enum(["first", "again", "nearMiss"]);
export type Phase = z.infer<typeof Phase>;

/**
 * Reads the tasks of one file. The second request takes over whatever it does not say itself; the near miss takes over only
 * the setup and what is allowed.
 * @param today what dates in placeholders are counted from
 * @throws ZodError, or an Error that names a placeholder without a value
 */
export function parseTasks(content: unknown, today: Date): EvalTask[] {
  return TaskFile.parse(content).map(({ id, kind, values, again, nearMiss, ...first }) => {
    const fill = (asking: object, own: Record<string, string>): unknown =>
      fillPlaceholders(asking, { ...values, ...own }, today);
    const { values: againValues, ...againOwn } = again;
    const { values: nearMissValues, ...nearMissOwn } = nearMiss;
    const shared = {
      ...("setup" in first && { setup: first["setup"] }),
      ...("allow" in first && { allow: first["allow"] }),
    };
    return EvalTask.parse({
      id,
      kind,
      first: fill(first, {}),
      again: fill({ ...first, ...againOwn }, againValues),
      nearMiss: fill({ ...shared, ...nearMissOwn }, nearMissValues),
    });
  });
}
