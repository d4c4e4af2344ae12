import type { ArchiveEntry } from "../contract/http.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { Schedule } from "../contract/schedule.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { nextVersion } from "../memory/store/record-files.ts";
import type { ListedRecords } from "../memory/store/record-storage.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import { openScheduleFiles } from "./schedule-files.ts";

/** The schedules of a profile. Several processes may use them at once. */
export interface ScheduleRecords {
  create(schedule: Schedule): Promise<Schedule>;
  /** Throws `NotFoundError`, and `StorageCorruptError` if the file is not a schedule. */
  get(id: string): Promise<Schedule>;
  /** Oldest first. What cannot be read as a schedule is left out. */
  list(): Promise<Schedule[]>;
  /**
   * Stores what `change` returns with the next version; it may be called again, so it has no effects. Throws `StaleVersionError` when `version` is given and is not the
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
  /** The schedule of an archive entry. Throws `NotFoundError`. */
  readArchived(archiveId: string): Promise<Schedule>;
  /** Call it only when no call is pending. */
  close(): void;
}

export type ScheduleRecordsOptions = { clock?: () => Date } & (
  | { paths: { memory: Pick<ProfilePaths["memory"], "schedules" | "archive"> } }
  /** Another storage than files. */
  | { storage: ListedRecords<Schedule> }
);

/** Opens the schedules of a profile. */
export async function openScheduleRecords({
  clock = () => new Date(),
  ...where
}: ScheduleRecordsOptions): Promise<ScheduleRecords> {
  const storage = "storage" in where ? where.storage : await openScheduleFiles({ ...where, clock });
  return {
    create: (schedule) => storage.create(parseSchedule(schedule)),
    get: async (id) => existing(await storage.find(id), id),
    list: () => storage.list(),
    async change(id, version, change) {
      const changed = await storage.change(id, async (before) => {
        const next = nextVersion("schedule", before, version === undefined ? {} : { version });
        return parseSchedule({
          ...(await change(before)),
          id,
          version: next,
          updatedAt: clock().toISOString(),
        });
      });
      return existing(changed, id);
    },
    remove: async (id, { runId } = {}) =>
      existing(await storage.archive(id, ({ title }) => ({ title, origin: "Automations", runId })), id),
    restore: (archiveId) => storage.restore(archiveId),
    archived: () => storage.archived(),
    readArchived: (archiveId) => storage.readArchived(archiveId),
    close: () => storage.close(),
  };
}

/** Throws `NotFoundError` if nothing was found. */
function existing<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw new NotFoundError(`There is no schedule with the id ${id.slice(0, 60)}.`);
  return found;
}

/** Parses a schedule as it would be read back. Throws `InvalidArgsError` if it is invalid. */
function parseSchedule(schedule: Schedule): Schedule {
  const parsed = Schedule.safeParse(JSON.parse(JSON.stringify(schedule)), { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidArgsError(`This is not a schedule: ${plainReason(parsed.error)}.`);
}
