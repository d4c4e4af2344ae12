import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openAuditKey } from "@metahuman/core/audit/signing";
import { openSealer } from "@metahuman/core/config/sealed-secrets";
import { MODEL_KEYS } from "@metahuman/core/config/model-keys";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import { AlreadyExistsError, ConfigInvalidError, ConflictError } from "@metahuman/core/errors/request-errors";
import { createFile } from "@metahuman/core/memory/store/durable-file";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { makeProfileFolders } from "@metahuman/core/profiles/open-profile-store";
import {
  folderWithoutAccount,
  hasProfileFolder,
  moveProfileAway,
} from "@metahuman/core/profiles/profile-lifecycle";
import { openPostgresAccounts } from "@metahuman/postgres/accounts/open-accounts";
import { openPostgresAgentCopies } from "@metahuman/postgres/agents/agent-copies";
import { openPostgresAgentStore } from "@metahuman/postgres/agents/open-agent-store";
import { openPostgresAuditLog } from "@metahuman/postgres/audit/open-audit-log";
import { type ChangeHints, openChangeHints } from "@metahuman/postgres/change-hints";
import { openPostgresConfig } from "@metahuman/postgres/config/open-config";
import { openPostgresEvidence } from "@metahuman/postgres/evidence/open-evidence-table";
import { openPostgresMemoryUses } from "@metahuman/postgres/evidence/open-memory-uses";
import {
  checkSecretKey,
  checkSharedFolder,
  profileRows,
  profilesWithLostRuns,
  readyCheck,
} from "@metahuman/postgres/installation/installation-facts";
import { openPostgresModelKeys } from "@metahuman/postgres/installation/model-keys";
import { openPostgresNotices } from "@metahuman/postgres/notices/open-notices";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openProfileDocuments } from "@metahuman/postgres/profiles/open-profile-documents";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { openPostgresRunCopies } from "@metahuman/postgres/runs/run-copies";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { openPostgresLedger } from "@metahuman/postgres/schedules/open-occurrence-ledger";
import { openPostgresWatchedPages } from "@metahuman/postgres/schedules/watched-pages";
import { type CacheFolder, claimCacheFolder } from "./cache-folder.ts";
import { openChannelSealer } from "./channel-servers.ts";
import type { Installation, InstallationOptions, ProfileState, ProfileStateOptions } from "./installation.ts";
import { startAudit } from "./start-audit.ts";
import type { StateControl } from "./state-database.ts";
import { ensureWritable } from "./writable-home.ts";

/**
 * Opens an installation in a PostgreSQL database that several servers share. The files of the people are in a folder that
 * they share, too; copies of records and indexes are in a folder of each process. Throws `ConfigInvalidError` for a setting that is missing, wrong or
 * different from that of the other servers, and what `openPostgres` throws.
 */
export async function openPostgresInstallation(
  url: string,
  options: InstallationOptions,
): Promise<Installation> {
  const { home, shippedEtc, env, logger, isLongLived, connect = openPool } = options;
  requireSecretKey(env);
  const profilesHome = sharedFolder(env, home);
  const { node, isGiven } = nodeName(env);
  const auditKey = openAuditKey(home, env);
  const channelSealer = openChannelSealer(home, env);
  const pool = connect(url, {
    applicationName: `metahuman ${node}`,
    onConnectionLost: (error) => logger.warn({ err: error }, "an idle connection to the database was lost"),
  });
  const hints = openChangeHints(url, {
    applicationName: `metahuman ${node}`,
    onProblem: (error) => logger.warn({ err: error }, "hints of other servers do not arrive for now"),
  });
  let cache: CacheFolder | undefined;
  try {
    const database = await openPostgres(pool);
    await checkSecretKey(database, channelSealer);
    await requireSharedFolder(database, profilesHome);
    // A command may run beside a server of the same name.
    const own = isGiven && isLongLived;
    const claimed = await claimCacheFolder(home, own ? node : `process-${randomUUID()}`, { temporary: !own });
    cache = claimed;
    const config = await openPostgresConfig(database, { shippedEtc, etc: homePaths(home).etc });
    const folderOf = (username: string) => profilePaths(profilesHome, username);
    const accounts = await openPostgresAccounts(database, {
      settings: () => config.current().server,
      profiles: {
        async requireNone(username) {
          if (await hasProfileFolder(profilesHome, username)) throw folderWithoutAccount(username);
        },
        async create(username, displayName) {
          const paths = folderOf(username);
          await makeProfileFolders(paths);
          const { rows } = await profileRows(database, username);
          (await openProfileDocuments(database, rows, { username, folder: paths.root, displayName })).close();
        },
        remove: (username) => moveProfileAway(profilesHome, username),
      },
    });
    return {
      node,
      clock: database.clock,
      profilesHome,
      config,
      accounts,
      auditKey,
      modelKeys: openPostgresModelKeys(database, {
        sealer: openSealer(home, env, MODEL_KEYS),
        known: config.modelKeys,
      }),
      channelSealer,
      openProfileState: (profile) =>
        openProfileRows(profile, {
          ...options,
          database,
          hints,
          cache: claimed.path,
          profilesHome,
          config,
          auditKey,
        }),
      profilesWithLostRuns: () => profilesWithLostRuns(database),
      requireReady: readyCheck(database),
      async close() {
        accounts.close();
        config.close();
        await hints.close();
        await database.close();
        await claimed.release();
      },
    };
  } catch (error) {
    await hints.close();
    await pool.close();
    await cache?.release();
    throw error;
  }
}

/** The name of this process. */
function nodeName(env: InstallationOptions["env"]): { node: string; isGiven: boolean } {
  const node = env["METAHUMAN_NODE"]?.trim();
  if (!node) return { node: `node-${randomBytes(4).toString("hex")}`, isGiven: false };
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/i.test(node)) return { node, isGiven: true };
  throw new ConfigInvalidError("METAHUMAN_NODE is not a valid server name.", {
    suggestions: ["Use up to 63 letters, digits, dots and hyphens, such as server-1."],
  });
}

export function requireSecretKey(env: InstallationOptions["env"]): void {
  if (env["METAHUMAN_SECRET_KEY"]?.trim()) return;
  throw new ConfigInvalidError(
    "METAHUMAN_SECRET_KEY is not set. With a database, every server needs the same key, which encrypts the stored secrets.",
    { suggestions: ["Create one with: openssl rand -base64 32"] },
  );
}

/** The data root with the folders of the profiles: `METAHUMAN_WORKSPACE`, or the server's own. */
export function sharedFolder(env: InstallationOptions["env"], home: string): string {
  const given = env["METAHUMAN_WORKSPACE"]?.trim();
  if (!given) return home;
  const url = URL.parse(given);
  if (url?.protocol === "file:" && url.hostname === "") return fileURLToPath(url);
  throw new ConfigInvalidError(
    url?.protocol === "s3:"
      ? "METAHUMAN_WORKSPACE names an S3 bucket, which this version cannot use."
      : "METAHUMAN_WORKSPACE is not the address of a folder.",
    { suggestions: ["Write the folder that all servers share as file:///mnt/shared."] },
  );
}

/** The file that marks the folder which the servers of a database share. */
export const SHARED_MARK = ".installation";

/** Throws `ConfigInvalidError` for a folder with an installation on files, or other than that of the other servers. */
export async function requireSharedFolder(database: Postgres, profilesHome: string): Promise<void> {
  const { profiles, systemDatabase } = homePaths(profilesHome);
  ensureWritable(profilesHome);
  if (existsSync(systemDatabase))
    throw new ConfigInvalidError(
      "The data folder holds an installation whose accounts and runs are in files, not in the database.",
      {
        suggestions: [
          "Name another folder in METAHUMAN_WORKSPACE, or remove METAHUMAN_DATABASE_URL from the environment.",
        ],
      },
    );
  const path = join(profiles, SHARED_MARK);
  const { mark, isNew } = await readOrCreateMark(path);
  try {
    await checkSharedFolder(database, mark);
  } catch (error) {
    if (isNew) await rm(path, { force: true });
    throw error;
  }
}

/** Reads the mark of a folder, or makes it. Servers that do so at the same moment get the same mark. */
export async function readOrCreateMark(path: string): Promise<{ mark: string; isNew: boolean }> {
  const subject = "the mark of the shared folder";
  const mark = randomUUID();
  try {
    // Atomic: nobody reads a mark that is not complete.
    await createFile(path, `${mark}\n`, subject);
    return { mark, isNew: true };
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  try {
    return { mark: (await readFile(path, "utf8")).trim(), isNew: false };
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Opens what the database holds of a profile. */
async function openProfileRows(
  { username, logger }: ProfileStateOptions,
  {
    database,
    hints,
    cache,
    profilesHome,
    isLongLived,
    config,
    auditKey,
  }: Pick<InstallationOptions, "isLongLived"> &
    Pick<Installation, "profilesHome" | "config" | "auditKey"> & {
      database: Postgres;
      hints: ChangeHints;
      cache: string;
    },
): Promise<ProfileState> {
  const { rows, removals } = await profileRows(database, username);
  const paths = profilePaths(profilesHome, username);
  await makeProfileFolders(paths);
  const documents = await openProfileDocuments(database, rows, { username, folder: paths.root });
  const audit = await startAudit(
    openPostgresAuditLog(database, rows, {
      key: auditKey,
      anchorFile: () => config.current().server.audit.anchorFile ?? undefined,
    }),
    { logger, anchors: isLongLived },
  );
  return {
    audit,
    settings: documents.store,
    channels: documents.channels,
    runs: openPostgresRunStore(database, rows, { hints }),
    runCopies: openPostgresRunCopies(database, rows),
    agents: openPostgresAgentStore(database, rows),
    agentCopies: openPostgresAgentCopies(database, rows),
    ledger: openPostgresLedger(database, rows),
    watchedPages: openPostgresWatchedPages(database, rows),
    evidence: openPostgresEvidence(database, rows),
    memoryUses: openPostgresMemoryUses(database, rows),
    records: {
      ...openPostgresRecords(database, rows),
      paths: profilePaths(join(cache, String(removals)), username),
      copies: openPostgresRecordCopies(database, rows),
    },
    openNotices: (options) => openPostgresNotices(database, rows, options),
    problem: undefined,
    control: stateInDatabase,
    noteRequest: () => database.forgetHeads(rows),
    isOutdated: () => false,
    foundDamage: () => undefined,
    async close() {
      await audit.close();
      documents.close();
    },
  };
}

async function refuse(): Promise<never> {
  throw new ConflictError(
    "Runs and conversations are in the database, which PostgreSQL's own tools restore.",
  );
}

/** Backups of the database are made with the tools of PostgreSQL. */
const stateInDatabase: StateControl = {
  status: () => ({ backups: [], inPostgres: true }),
  restore: refuse,
  startAnew: refuse,
};
