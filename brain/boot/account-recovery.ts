import type { StateRecovery } from "@metahuman/core/contract/state-database";
import { restoreBackup } from "@metahuman/core/database/backup";
import { isIntact } from "@metahuman/core/database/check-file";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { homePaths } from "@metahuman/core/paths/data-root";

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
