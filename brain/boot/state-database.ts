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
import { fileStamp } from "@metahuman/core/database/file-stamp";
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
   * Puts a backup in the place of a database that cannot be used; the next request opens it. The unusable file is kept.
   * Throws `ConflictError` when the database can be used, `NotFoundError` without such a backup, `StorageCorruptError`
   * when the backup is damaged.
   */
  restore(options: StateRestore): Promise<StateRecovery>;
  /** Begins an empty database and keeps the unusable file. Throws `ConflictError` when the database can be used. */
  startAnew(): Promise<StateRecovery>;
}

export interface OpenedState {
  /** The file, or a database in memory while the file cannot be used. */
  database: Database;
  problem: MetahumanError | undefined;
  control: StateControl;
  /** Whether the profile must be opened anew: damage was found, or the file was replaced or repaired. */
  isOutdated(): boolean;
  /** Damage found while the database was in use. */
  foundDamage(): StorageCorruptError | undefined;
  close(): Promise<void>;
}

export interface StateOptions {
  path: string;
  audit: AuditLog;
  actor: string;
  clock: () => Date;
  onWarning: (message: string, cause: unknown) => void;
  /** Damage that was found in use; the file is not opened then. */
  damage: StorageCorruptError | undefined;
  /** Whether this process stays and makes the daily backups. */
  backsUp: boolean;
}

const title = "the profile's state database (state.db)";
const recovery =
  "Restore a backup or start anew, in chat or with mh database restore or mh database start-anew. The file is kept.";
const repairable = [StorageCorruptError, StorageNewerError, StorageReadOnlyError, PermissionDeniedError];

/**
 * Opens a profile's `state.db`. One that cannot be used does not close the profile: a database in memory stands in for it,
 * so that everything but runs and conversations works.
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
        const kept = moveCorruptFile(path);
        openDatabase(path, stateMigrations, { title, recovery }).close();
        const recovered = { ...(kept !== undefined && { kept }) };
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

/** An operator without a run store: starting a run throws the reason. */
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

/** For people who may not know where on the server the data lies. */
function withoutPaths({ code, message }: MetahumanError): ErrorDetail {
  return { code, message, suggestions: [recovery] };
}

/**
 * Puts a backup in the place of an account database that cannot be used, while nothing has it open; the unusable file is
 * kept. Throws `ConflictError` when it can be used, `NotFoundError` without such a backup, `StorageCorruptError` when the
 * backup is damaged.
 */
export function restoreAccounts(home: string, backup: string | undefined): StateRecovery {
  const { systemDatabase } = homePaths(home);
  if (isIntact(systemDatabase))
    throw new ConflictError("The account database can be used: nothing needs to be restored.");
  return restoreBackup(systemDatabase, backup);
}
