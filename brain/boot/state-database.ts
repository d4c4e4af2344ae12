import type { OperatorService } from "@metahuman/agents/operator/operator";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { StateRecovery, StateRestore, StateStatus } from "@metahuman/core/contract/state-database";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import {
  listBackups,
  restoreBackup,
  scheduleBackups,
  moveCorruptFile,
} from "@metahuman/core/database/backup";
import { fileStamp } from "@metahuman/core/files/file-content";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import {
  StorageCorruptError,
  StorageNewerError,
  StorageReadOnlyError,
} from "@metahuman/core/errors/storage-errors";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { isIntact } from "@metahuman/core/database/check-file";
import { homePaths } from "@metahuman/core/paths/data-root";

/** The status of a profile's `state.db`, and its repair. */
export interface StateControl {
  status(): StateStatus;
  /**
   * Replaces an unusable database by a backup; the next request opens it. Keeps the unusable file. Throws
   * `ConflictError` if the database is usable, `NotFoundError` if there is no such backup, and `StorageCorruptError` if
   * the backup is damaged.
   */
  restore(options: StateRestore): Promise<StateRecovery>;
  /**
   * Replaces an unusable database by an empty one and keeps the unusable file. Throws `ConflictError` if the database
   * is usable.
   */
  startAnew(): Promise<StateRecovery>;
}

export interface OpenedState {
  /** The file, or an in-memory database while the file is unusable. */
  database: Database;
  problem: MetahumanError | undefined;
  control: StateControl;
  /** Whether the profile must be opened again: damage was found, or the file was replaced or repaired. */
  isOutdated(): boolean;
  /** Damage that was found while the database was in use. */
  foundDamage(): StorageCorruptError | undefined;
  close(): Promise<void>;
}

export interface StateOptions {
  path: string;
  audit: AuditLog;
  actor: string;
  clock: () => Date;
  onWarning: (message: string, cause: unknown) => void;
  /** Damage that was found before; then the file is not opened. */
  damage: StorageCorruptError | undefined;
  /** Whether this process is long-lived and makes the daily backups. */
  backsUp: boolean;
}

const title = "the profile's state database (state.db)";
const recovery =
  "Restore a backup or start anew, in chat or with mh database restore or mh database start-anew. The file is kept.";
const repairable = [StorageCorruptError, StorageNewerError, StorageReadOnlyError, PermissionDeniedError];

/**
 * Opens a profile's `state.db`. If it is unusable, an in-memory database takes its place, so that everything but runs
 * and conversations works.
 */
export function openState(options: StateOptions): OpenedState {
  const { path, audit, actor, clock, onWarning } = options;
  let found: StorageCorruptError | undefined;
  const open = (): Database =>
    openDatabase(path, stateMigrations, {
      title,
      recovery,
      whenMissing: "throw",
      onCorrupt: (error) => (found ??= error),
    });

  const opened = options.damage ?? tryOpen(open);
  const problem = "path" in opened ? undefined : opened;
  const database = "path" in opened ? opened : openDatabase(":memory:", stateMigrations, { title });
  const stamp = fileStamp(path);
  const backups =
    problem === undefined && options.backsUp ? scheduleBackups(path, { clock, onWarning }) : undefined;
  if (problem)
    onWarning("the state database cannot be used; runs and conversations are not available", problem);

  function requireProblem(): void {
    if (problem === undefined || fileStamp(path) !== stamp)
      throw new ConflictError("The state database can be used: nothing needs to be restored.");
  }

  return {
    database,
    problem,
    control: {
      status: () => ({ ...(problem && { problem: withoutPaths(problem) }), backups: listBackups(path) }),
      async restore({ backup }) {
        requireProblem();
        const recovered = restoreBackup(path, backup);
        await audit.append({ event: "state_restored", actor, details: { ...recovered } });
        return recovered;
      },
      async startAnew() {
        requireProblem();
        const corruptCopy = moveCorruptFile(path);
        openDatabase(path, stateMigrations, { title, recovery }).close();
        const recovered = { ...(corruptCopy !== undefined && { kept: corruptCopy }) };
        await audit.append({ event: "state_started_anew", actor, details: recovered });
        return recovered;
      },
    },
    isOutdated: () => found !== undefined || (problem !== undefined && fileStamp(path) !== stamp),
    foundDamage: () => found,
    async close() {
      await backups?.close();
      database.close();
    },
  };
}

/** Returns an operator without a run store; starting a run throws the reason. */
export function withoutRuns(operator: OperatorService, problem: MetahumanError): OperatorService {
  const refuse = async (): Promise<never> => {
    throw problem;
  };
  return { ...operator, start: refuse, resume: refuse };
}

function tryOpen(open: () => Database): Database | MetahumanError {
  try {
    return open();
  } catch (error) {
    const known = repairable.find((kind) => error instanceof kind);
    if (known && error instanceof known) return error;
    throw error;
  }
}

/** Removes paths, because a user may not know where on the server the data is. */
function withoutPaths({ code, message }: MetahumanError): ErrorDetail {
  return { code, message, suggestions: [recovery] };
}

/**
 * Replaces an unusable account database with a backup while no process has it open, and keeps the unusable file.
 * Throws `ConflictError` if it is usable, `NotFoundError` if there is no such backup, and `StorageCorruptError` if
 * the backup is damaged.
 */
export function restoreAccounts(home: string, backup: string | undefined): StateRecovery {
  const { systemDatabase } = homePaths(home);
  if (isIntact(systemDatabase))
    throw new ConflictError("The account database can be used: nothing needs to be restored.");
  return restoreBackup(systemDatabase, backup);
}
