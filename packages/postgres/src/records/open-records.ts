import type { FunctionStorage, FunctionStoragePlace } from "@metahuman/core/functions/store/function-store";
import type { Schedule } from "@metahuman/core/contract/schedule";
import type {
  ListedRecords,
  MemoryStorage,
  MemoryStoragePlace,
} from "@metahuman/core/memory/store/record-storage";
import type { TaskStorage } from "@metahuman/core/memory/tasks/open-tasks";
import type { StoredVectors } from "@metahuman/core/vectors/stored-vectors";
import type { Postgres } from "../open-postgres.ts";
import { openPostgresFunctions } from "./function-storage.ts";
import { openPostgresSchedules, openPostgresTasks } from "./listed-storage.ts";
import { openPostgresMemories } from "./memory-storage.ts";
import type { CopyStart } from "./record-copy.ts";
import { openStoredVectors } from "./stored-vectors.ts";

/** The storages of a profile's records, for `openMemory`, `openTasks`, `openScheduleRecords` and `openFunctions`. */
export interface PostgresRecords {
  memories: (place: MemoryStoragePlace) => Promise<MemoryStorage>;
  /** The vectors of memories. */
  vectors: StoredVectors;
  tasks: TaskStorage;
  schedules: ListedRecords<Schedule>;
  functions: (place: FunctionStoragePlace) => Promise<FunctionStorage>;
  /** Whether there were so many changes that copying the records may take longer than reads wait for it. */
  isLarge: boolean;
  /** Calls `onChange` soon after a record of any kind was changed, by any process. */
  follow(onChange: () => void): { close(): void };
}

/** About as many memories are copied and indexed while the first read waits. */
const MANY_CHANGES = 500;

/**
 * Opens the records of a profile in the database. With `head`, which was read before, each copy of records starts from that number and
 * asks for it no more.
 */
export function openPostgresRecords(
  database: Postgres,
  profile: string,
  { head }: CopyStart = {},
): PostgresRecords {
  /** The number of the last change that is known; undefined until the first poll if `head` was not read before. */
  let known = head === null ? 0 : head?.seq;
  return {
    memories: (place) => openPostgresMemories(database, profile, { ...place, head }),
    vectors: openStoredVectors(database, profile),
    tasks: openPostgresTasks(database, profile),
    schedules: openPostgresSchedules(database, profile),
    functions: (place) => openPostgresFunctions(database, profile, { ...place, head }),
    isLarge: (head?.seq ?? 0) > MANY_CHANGES,
    follow: (onChange) =>
      database.poll.follow(profile, ({ records }) => {
        const isChanged = known !== undefined && records > known;
        known = records;
        if (isChanged) onChange();
      }),
  };
}
