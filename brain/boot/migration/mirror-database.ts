import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { type MirrorReport, mirrorRecords } from "@metahuman/core/transfer/mirror-records";
import type { RecordCopies } from "@metahuman/core/transfer/record-copies";
import { openPostgresAccountCopies } from "@metahuman/postgres/accounts/account-copies";
import { profileRows } from "@metahuman/postgres/installation/installation-facts";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { type Driver, openPool, type PoolOptions } from "@metahuman/postgres/pg-driver";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";

/** The file that marks a folder as a mirror, whose other files may be replaced and removed. */
const MARK = ".metahuman-mirror";
const MARK_TEXT =
  "A copy of records in a database, made by mh mirror. Each pass overwrites changes that were made here.\n";

export interface MirrorOptions {
  /** The absolute path of the folder with the files. */
  folder: string;
  /** The only profile to mirror. Default: all. */
  profile?: string | undefined;
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
  /** Opens the connections. Default: a pool for the address. */
  open?: (url: string, options: PoolOptions) => Driver;
}

export type MirroredProfile = MirrorReport & { username: string };

/**
 * Makes files in a folder the same as the records of a database, which is only read: `profiles/<name>/memory/…`, as in a data
 * root. Records of accounts that are gone are removed. Throws `ConflictError` for a folder with other files, `NotFoundError` for an
 * unknown profile, and what `openPostgres` throws.
 */
export async function mirrorDatabase(url: string, options: MirrorOptions): Promise<MirroredProfile[]> {
  const { folder, profile, signal, onProgress = () => undefined, open = openPool } = options;
  const driver = open(url, { readOnly: true });
  try {
    const database = await openPostgres(driver, { schema: "require" });
    const all = (await openPostgresAccountCopies(database).all()).map(({ username }) => username);
    const names = all.filter((name) => profile === undefined || name === profile);
    if (profile !== undefined && names.length === 0)
      throw new NotFoundError(`The database has no profile named ${profile}.`);
    await markFolder(folder);
    const mirror = async (username: string, source: Pick<RecordCopies, "each">) => {
      onProgress(`mirroring ${username}`);
      const report = await mirrorRecords(source, profilePaths(folder, username).memory, {
        ...(signal && { signal }),
      });
      return { username, ...report };
    };
    const mirrored: MirroredProfile[] = [];
    for (const username of names) {
      const { rows } = await profileRows(database, username);
      mirrored.push(await mirror(username, openPostgresRecordCopies(database, rows)));
    }
    if (profile === undefined)
      for (const username of await namesIn(homePaths(folder).profiles))
        if (!all.includes(username)) mirrored.push(await mirror(username, { each: noRecords }));
    return mirrored;
  } finally {
    await driver.close();
  }
}

async function* noRecords(): AsyncGenerator<[]> {
  yield [];
}

/** Creates a mirror. Throws `ConflictError` for a folder with other files. */
async function markFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (existsSync(join(folder, MARK))) return;
    if ((await readdir(folder)).length > 0)
      throw new ConflictError(`${folder} has files and is no mirror; it was not changed.`, {
        suggestions: ["Name a folder that is empty or does not exist."],
        context: { folder },
      });
    await writeFile(join(folder, MARK), MARK_TEXT);
  } catch (error) {
    throw fromNodeError(error, "the folder of the mirror");
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
