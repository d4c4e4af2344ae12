import { z } from "zod";
import { Schedule } from "@metahuman/core/contract/schedule";
import { Task } from "@metahuman/core/contract/task";
import { unreadable } from "@metahuman/core/memory/store/record-files";
import type { ListedRecords, RecordKind } from "@metahuman/core/memory/store/record-storage";
import { folderOf, type TaskStorage } from "@metahuman/core/memory/tasks/open-tasks";
import type { Postgres } from "../open-postgres.ts";
import { openRecordRows, parsedBody, type Row, storableText } from "./record-rows.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

const ROWS_AT_ONCE = 1_000;

export function openPostgresTasks(database: Postgres, profile: string): TaskStorage {
  const storage = openListedRecords(database, profile, { kind: "task", schema: Task });
  return {
    ...storage,
    list: async (folder) => (await storage.list()).filter((task) => folderOf(task) === folder),
  };
}

export function openPostgresSchedules(database: Postgres, profile: string): ListedRecords<Schedule> {
  return openListedRecords(database, profile, { kind: "schedule", schema: Schedule });
}

/**
 * Opens records that are few enough to keep in memory. A list reads only the changes since the previous list. No text
 * may contain U+0000.
 */
function openListedRecords<Value extends { id: string }>(
  database: Postgres,
  profile: string,
  { kind, schema }: { kind: RecordKind; schema: z.ZodType<Value> },
): ListedRecords<Value> {
  const rows = openRecordRows(database, profile, { kind });
  const Id = z.object({ id: z.string().regex(/^[a-z]+-[\w-]{1,100}$/) });
  let position = 0;
  const known = new Map<string, Value>();
  const queue = createSerialQueue();

  /** Throws `StorageCorruptError`. */
  function valueOf({ id, body }: Pick<Row, "id" | "body">): Value {
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw unreadable(`its row is not a ${kind}`, id);
    return parsed.data;
  }

  async function fetchChanges(): Promise<Value[]> {
    for (;;) {
      const { rows: changes, head } = await rows.changesAfter(position, ROWS_AT_ONCE);
      for (const { id, seq, body } of changes) {
        const parsed = schema.safeParse(body);
        if (parsed.success) known.set(id, parsed.data);
        else known.delete(id);
        position = seq;
      }
      if (changes.length < ROWS_AT_ONCE) {
        position = Math.max(position, head);
        return [...known].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
      }
    }
  }

  return {
    async create(record) {
      const body = storableText(record);
      await rows.create([{ id: record.id, path: `${record.id}.json`, body }]);
      return valueOf({ id: record.id, body: parsedBody(body) });
    },
    async find(id) {
      if (!Id.safeParse({ id }).success) return undefined;
      const row = await rows.read(id);
      return row && valueOf(row);
    },
    async change(id, decide) {
      const row = await rows.change(id, async (seen) => {
        const value = valueOf(seen);
        const decided = await decide(value);
        return decided === value ? undefined : storableText(decided);
      });
      return row && valueOf(row);
    },
    async archive(id, note) {
      return (await rows.archive(id, (row) => note(valueOf(row))))?.entry;
    },
    restore: async (archiveId) => valueOf(await rows.restore(archiveId)),
    archived: () => rows.archived(),
    readArchived: async (id) => valueOf({ id, body: await rows.readArchived(id) }),
    list: () => queue(fetchChanges),
    close: () => undefined,
  };
}
