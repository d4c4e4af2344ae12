import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArchiveEntry } from "../contract/http.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { Schedule, ScheduleId } from "../contract/schedule.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { createFile, makeFolder, removeAbandoned, replaceFile } from "../memory/store/durable-file.ts";
import { fileText, parseFile } from "../memory/store/file-content.ts";
import { createRecordArchive } from "../memory/store/record-archive.ts";
import { nextVersion, unreadable } from "../memory/store/record-files.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";

/** The schedules of a profile, one JSON file each under `memory/schedules/`. Several processes may use them at once. */
export interface ScheduleRecords {
  create(schedule: Schedule): Promise<Schedule>;
  /** Throws `NotFoundError`, and `StorageCorruptError` if the file is not a schedule. */
  get(id: string): Promise<Schedule>;
  /** Oldest first. Files that are not schedules are left out. */
  list(): Promise<Schedule[]>;
  /**
   * Stores what `change` returns with the next version. Throws `StaleVersionError` when `version` is given and is not the
   * current one.
   */
  change(
    id: string,
    version: number | undefined,
    change: (schedule: Schedule) => Schedule | Promise<Schedule>,
  ): Promise<Schedule>;
  /** Into the archive. */
  remove(id: string, options?: { runId?: string | undefined }): Promise<ArchiveEntry>;
  restore(archiveId: string): Promise<Schedule>;
  archived(): Promise<ArchiveEntry[]>;
  /** Call it only when no call is pending. */
  close(): void;
}

/** Opens the schedules of a profile and creates their folder. */
export async function openScheduleRecords({
  paths,
  clock = () => new Date(),
}: {
  paths: { memory: Pick<ProfilePaths["memory"], "schedules" | "archive"> };
  clock?: () => Date;
}): Promise<ScheduleRecords> {
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

  async function read(id: string): Promise<Schedule> {
    if (!ScheduleId.safeParse(id).success) throw unknown(id);
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
      if (systemCode(error) === "ENOENT") {
        cache.delete(id);
        throw unknown(id);
      }
      throw fromNodeError(error, "the schedule");
    }
  }

  async function list(): Promise<Schedule[]> {
    const ids = (await readdir(folder))
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .filter((id) => ScheduleId.safeParse(id).success)
      .sort();
    const found = await Promise.allSettled(ids.map(read));
    return found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  return {
    async create(schedule) {
      const created = checked(schedule);
      await createFile(pathOf(created.id), fileText(created), "the schedule");
      return created;
    },
    get: read,
    list,
    change: (id, version, change) =>
      lock.hold(async () => {
        const before = await read(id);
        const next = nextVersion("schedule", before, version === undefined ? {} : { version });
        const after = checked({
          ...(await change(before)),
          id,
          version: next,
          updatedAt: clock().toISOString(),
        });
        await replaceFile(pathOf(id), fileText(after), "the schedule");
        return after;
      }),
    remove: (id, { runId } = {}) =>
      lock.hold(async () => {
        const { title } = await read(id);
        return await archive.put(pathOf(id), { id, title, origin: "Automations", runId });
      }),
    restore: (archiveId) =>
      lock.hold(async () => {
        const content = parseFile(Schedule, await archive.read(archiveId));
        if ("reason" in content) throw unreadable(content.reason, archiveId);
        await archive.takeOut(archiveId, pathOf(content.value.id));
        return content.value;
      }),
    archived: () => archive.list(),
    close: () => lock.close(),
  };
}

/** Parses a schedule as it would be read back. Throws `InvalidArgsError` if it is invalid. */
function checked(schedule: Schedule): Schedule {
  const parsed = Schedule.safeParse(JSON.parse(JSON.stringify(schedule)), { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidArgsError(`This is not a schedule: ${plainReason(parsed.error)}.`);
}

function unknown(id: string): NotFoundError {
  return new NotFoundError(`There is no schedule with the id ${id.slice(0, 60)}.`);
}
