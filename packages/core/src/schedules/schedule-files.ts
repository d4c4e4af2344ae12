import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Schedule, ScheduleId } from "../contract/schedule.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { createFile, makeFolder, removeAbandoned, replaceFile } from "../files/durable-file.ts";
import { fileText, parseFile } from "../files/file-content.ts";
import { createRecordArchive, readArchived } from "../memory/store/record-archive.ts";
import { unreadable } from "../memory/store/record-files.ts";
import type { ListedRecords } from "../memory/store/record-storage.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";

/**
 * Opens the schedules of a profile as JSON files under `memory/schedules/`, with their archive, and creates the folder. A
 * lock across processes is held while an existing schedule is changed.
 */
export async function openScheduleFiles({
  paths,
  clock,
}: {
  paths: { memory: Pick<ProfilePaths["memory"], "schedules" | "archive"> };
  clock: () => Date;
}): Promise<ListedRecords<Schedule>> {
  const folder = paths.memory.schedules;
  await makeFolder(folder, "the folder of the schedules");
  await removeAbandoned(folder);
  const archive = createRecordArchive({
    folder: join(paths.memory.archive.root, "schedules"),
    kind: "schedule",
    clock,
  });
  await removeAbandoned(archive.folder);
  const lock = openFileLock(join(dirname(folder), ".schedules.lock"), "the schedules");
  const cache = new Map<string, { stamp: string; schedule: Schedule }>();
  const pathOf = (id: string) => join(folder, `${id}.json`);

  async function find(id: string): Promise<Schedule | undefined> {
    if (!ScheduleId.safeParse(id).success) return undefined;
    try {
      const { ino, size, mtimeNs } = await stat(pathOf(id), { bigint: true });
      const stamp = `${ino}:${size}:${mtimeNs}`;
      const known = cache.get(id);
      if (known?.stamp === stamp) return known.schedule;
      const content = parseFile(Schedule, await readFile(pathOf(id)));
      if ("reason" in content) throw unreadable(content.reason, id);
      if (content.value.id !== id) throw unreadable("its id is not its file name", id);
      cache.set(id, { stamp, schedule: content.value });
      return content.value;
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw fromNodeError(error, "the schedule");
      cache.delete(id);
      return undefined;
    }
  }

  return {
    async create(schedule) {
      await createFile(pathOf(schedule.id), fileText(schedule), "the schedule");
      return schedule;
    },
    find,
    async list() {
      const ids = (await readdir(folder))
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length))
        .sort();
      const found = await Promise.allSettled(ids.map(find));
      return found.flatMap((result) => (result.status === "fulfilled" ? (result.value ?? []) : []));
    },
    change: (id, decide) =>
      lock.hold(async () => {
        const before = await find(id);
        if (!before) return undefined;
        const after = await decide(before);
        if (after !== before) await replaceFile(pathOf(id), fileText(after), "the schedule");
        return after;
      }),
    archive: (id, note) =>
      lock.hold(async () => {
        const schedule = await find(id);
        return schedule && (await archive.put(pathOf(id), { id, ...note(schedule) }));
      }),
    restore: (archiveId) =>
      lock.hold(async () => {
        const { value: schedule } = await readArchived(archive, Schedule, archiveId);
        await archive.restoreTo(archiveId, pathOf(schedule.id));
        return schedule;
      }),
    archived: () => archive.list(),
    readArchived: async (archiveId) => (await readArchived(archive, Schedule, archiveId)).value,
    close: () => lock.close(),
  };
}
