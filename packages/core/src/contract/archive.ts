import { z } from "zod";
import { FunctionContent } from "./function.ts";
import { ArchiveEntry } from "./http.ts";
import { MemoryRecord } from "./memory.ts";
import { Schedule } from "./schedule.ts";
import { Task } from "./task.ts";

/** The maximum size of the part of an archived file that is shown, in bytes. */
export const MAX_ARCHIVED_TEXT = 200_000;

/** What restoring an archive entry brings back. */
export const ArchivedItem = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("file"),
    /** The beginning of the archived text; absent if the file is not text. */
    text: z.string().optional(),
    /** The beginning of the text that is at the path now; absent if there is none. */
    present: z.string().optional(),
    /** Whether one of the texts continues. */
    truncated: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("folder") }),
  z.strictObject({ kind: z.literal("memory"), memory: MemoryRecord }),
  z.strictObject({ kind: z.literal("task"), task: Task }),
  z.strictObject({
    kind: z.literal("function"),
    function: FunctionContent.pick({ title: true, summary: true, steps: true }),
  }),
  z.strictObject({ kind: z.literal("schedule"), schedule: Schedule }),
]);
export type ArchivedItem = z.infer<typeof ArchivedItem>;

/** One archive entry with what it holds. */
export const ArchiveDetail = z.strictObject({ entry: ArchiveEntry, item: ArchivedItem });
export type ArchiveDetail = z.infer<typeof ArchiveDetail>;
