import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { MemoryRecord } from "../contract/memory.ts";
import type { ImportItem } from "../contract/transfer.ts";
import { MemoryNotFoundError, NotFoundError, TaskNotFoundError } from "../errors/not-found-errors.ts";
import { createFile } from "../files/durable-file.ts";
import { fileText } from "../files/file-content.ts";
import { folderOf } from "../memory/tasks/open-tasks.ts";
import type { ImportContext, ImportTarget } from "./import-target.ts";
import type { Importer, BatchImporter } from "./parts.ts";

/** The maximum number of records per write, and their total length. */
const MAX_RECORDS = 500;
const MAX_CHARACTERS = 1_000_000;

/** Imports memories with their ids, times and provenance. Deleted memories stay deleted. */
export function memoryImporter(
  { memory }: ImportTarget,
  { apply, replace, report }: ImportContext,
): BatchImporter<"memory"> {
  const waiting = new Map<string, { record: MemoryRecord; path: string }>();
  let characters = 0;
  let deleted: Promise<Set<string>> | undefined;

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const some = new Map(waiting);
    waiting.clear();
    characters = 0;
    const conflicts = apply
      ? new Set((await memory.importMany([...some.values()].map(({ record }) => record))).conflicts)
      : new Set<string>();
    for (const [id, { path }] of some)
      report({ path, kind: "memory", outcome: conflicts.has(id) ? "conflicting" : "added" });
  }

  return {
    async add({ path, value: record }) {
      const reportAs = (outcome: ImportItem["outcome"], reason?: string): void =>
        report({ path, kind: "memory", outcome, ...(reason !== undefined && { reason }) });
      const existing = waiting.get(record.id)?.record ?? (await memory.get(record.id).catch(unlessMissing));
      if (existing) {
        if (fileText(existing) === fileText(record)) return reportAs("unchanged");
        if (!replace) return reportAs("conflicting", "another memory has this id here");
        const { content, tags, entities, links, context, metadata, importance, pinned } = record;
        if (apply) {
          await memory.keepCopy(record.id);
          await memory.edit(record.id, {
            content,
            tags,
            entities,
            links,
            context,
            metadata,
            importance,
            pinned,
          });
        }
        return reportAs("changed");
      }
      deleted ??= memory.archived().then((entries) => new Set(entries.map(({ id }) => id)));
      if ((await deleted).has(record.id)) return reportAs("conflicting", "it was deleted here");
      waiting.set(record.id, { record, path });
      characters += record.content.length;
      if (waiting.size >= MAX_RECORDS || characters >= MAX_CHARACTERS) await flush();
    },
    finish: flush,
  };
}

/** Imports tasks with their ids and times. */
export function taskImporter(
  { paths, tasks, records }: ImportTarget,
  { apply, replace, report }: ImportContext,
): Importer<"task"> {
  return {
    async add({ path, value: task }) {
      const reportAs = (outcome: ImportItem["outcome"], reason?: string): void =>
        report({ path, kind: "task", outcome, ...(reason !== undefined && { reason }) });
      const existing = await tasks.get(task.id).catch(unlessMissing);
      if (existing && fileText(existing) === fileText(task)) return reportAs("unchanged");
      if (existing && !replace) return reportAs("conflicting", "another task has this id here");
      if (apply) {
        if (existing) await tasks.remove(task.id);
        if (records) await records.add({ path, bytes: Buffer.from(fileText(task)) }, { apply });
        else
          await createFile(
            join(paths.memory.tasks[folderOf(task)], `${task.id}.json`),
            fileText(task),
            "the task",
          );
      }
      reportAs(existing ? "changed" : "added");
    },
  };
}

/** Imports schedules. Active ones are paused, so that a person reviews what each may do before resuming it. */
export function scheduleImporter(
  { schedules }: ImportTarget,
  { apply, replace, report }: ImportContext,
): Importer<"schedule"> {
  return {
    async add({ path, value }) {
      const reportAs = (outcome: ImportItem["outcome"], reason?: string): void =>
        report({ path, kind: "schedule", outcome, ...(reason !== undefined && { reason }) });
      const pausedReason = "It was restored from a backup. Check what it may do, then resume it.";
      const restored = value.enabled ? { ...value, enabled: false, pausedReason } : value;
      const existing = await schedules.get(value.id).catch(unlessMissing);
      const isSame = [value, restored].some((one) => isDeepStrictEqual(one, existing));
      if (isSame) return reportAs("unchanged");
      if (existing && !replace) return reportAs("conflicting", "another schedule has this id here");
      if (apply) {
        if (existing) await schedules.remove(value.id);
        await schedules.create(restored);
      }
      reportAs(existing ? "changed" : "added");
    },
  };
}

function unlessMissing(error: unknown): undefined {
  if (
    error instanceof MemoryNotFoundError ||
    error instanceof TaskNotFoundError ||
    error instanceof NotFoundError
  )
    return undefined;
  throw error;
}
