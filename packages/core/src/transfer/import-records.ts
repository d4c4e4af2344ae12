import { basename, join } from "node:path";
import type { z } from "zod";
import { MemoryRecord } from "../contract/memory.ts";
import { Task } from "../contract/task.ts";
import type { ImportItem } from "../contract/transfer.ts";
import { MemoryNotFoundError } from "../errors/memory-not-found-error.ts";
import { TaskNotFoundError } from "../errors/task-not-found-error.ts";
import { createFile } from "../memory/files/durable-file.ts";
import { fileText } from "../memory/files/file-content.ts";
import { folderOf } from "../memory/tasks/task-files.ts";
import { type Checked, checkedJson } from "./check-json.ts";
import type { Importer, ImportOptions, ImportTarget } from "./import-profile.ts";
import type { ZipEntry } from "./read-zip.ts";

/** Written in one act. */
const AT_ONCE = 500;

type Note = (item: ImportItem) => void;

/** Memories keep their ids, times and provenance; what a person deleted here stays deleted. */
export function memoryImporter(
  { memory }: ImportTarget,
  { apply, replace }: ImportOptions,
  note: Note,
): Importer {
  const waiting = new Map<string, { record: MemoryRecord; path: string }>();
  let deleted: Promise<Set<string>> | undefined;

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const some = new Map(waiting);
    waiting.clear();
    const conflicts = apply
      ? new Set((await memory.importMany([...some.values()].map(({ record }) => record))).conflicts)
      : new Set<string>();
    for (const [id, { path }] of some)
      note({ path, kind: "memory", outcome: conflicts.has(id) ? "conflicting" : "added" });
  }

  return {
    async take(entry) {
      const tell = (outcome: ImportItem["outcome"], reason?: string): void =>
        note({ path: entry.path, kind: "memory", outcome, ...(reason !== undefined && { reason }) });
      const checked = await checkedRecord(entry, MemoryRecord);
      if ("reason" in checked) return tell("refused", checked.reason);
      const { value: record } = checked;
      const there = waiting.get(record.id)?.record ?? (await memory.get(record.id).catch(unlessMissing));
      if (there) {
        if (fileText(there) === fileText(record)) return tell("unchanged");
        if (!replace) return tell("conflicting", "another memory of this id is here");
        const { content, tags, entities, links, context, metadata, importance, pinned } = record;
        if (apply)
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
        return tell("changed");
      }
      deleted ??= memory.archived().then((entries) => new Set(entries.map(({ id }) => id)));
      if ((await deleted).has(record.id)) return tell("conflicting", "it was deleted here");
      waiting.set(record.id, { record, path: entry.path });
      if (waiting.size >= AT_ONCE) await flush();
    },
    finish: flush,
  };
}

/** Tasks keep their ids and times. */
export function taskImporter(
  { paths, tasks }: ImportTarget,
  { apply, replace }: ImportOptions,
  note: Note,
): Importer {
  return {
    async take(entry) {
      const tell = (outcome: ImportItem["outcome"], reason?: string): void =>
        note({ path: entry.path, kind: "task", outcome, ...(reason !== undefined && { reason }) });
      const checked = await checkedRecord(entry, Task);
      if ("reason" in checked) return tell("refused", checked.reason);
      const { value: task } = checked;
      const there = await tasks.get(task.id).catch(unlessMissing);
      if (there && fileText(there) === fileText(task)) return tell("unchanged");
      if (there && !replace) return tell("conflicting", "another task of this id is here");
      if (apply) {
        if (there) await tasks.remove(task.id);
        await createFile(
          join(paths.memory.tasks[folderOf(task)], `${task.id}.json`),
          fileText(task),
          "the task",
        );
      }
      tell(there ? "changed" : "added");
    },
    finish: async () => undefined,
  };
}

async function checkedRecord<Value extends { id: string }>(
  entry: ZipEntry,
  schema: z.ZodType<Value>,
): Promise<Checked<Value>> {
  const checked = checkedJson(schema, await entry.read());
  return "value" in checked && `${checked.value.id}.json` !== basename(entry.path)
    ? { reason: "its name is not its id" }
    : checked;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof MemoryNotFoundError || error instanceof TaskNotFoundError) return undefined;
  throw error;
}
