import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { openAuditKey } from "@metahuman/core/audit/signed-chain";
import { openSealer } from "@metahuman/core/config/sealed-secrets";
import { MODEL_KEYS } from "@metahuman/core/config/model-keys";
import { ConfigInvalidError, ConflictError } from "@metahuman/core/errors/request-errors";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { makeProfileFolders } from "@metahuman/core/profiles/open-profile-store";
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
  profileRows,
  profilesWithLostRuns,
  readyCheck,
} from "@metahuman/postgres/installation/installation-facts";
import { openPostgresModelKeys } from "@metahuman/postgres/installation/model-keys";
import { openPostgresNotices } from "@metahuman/postgres/notices/open-notices";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import type { FollowedProfile, PolledProfile } from "@metahuman/postgres/profile-poll";
import { openProfileDocuments } from "@metahuman/postgres/profiles/open-profile-documents";
import { openRecordLock } from "@metahuman/postgres/records/record-lock";
import { openPostgresRecords } from "@metahuman/postgres/records/open-records";
import { openPostgresRecordCopies } from "@metahuman/postgres/records/record-copies";
import { openPostgresRunCopies } from "@metahuman/postgres/runs/run-copies";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { openPostgresLedger } from "@metahuman/postgres/schedules/open-occurrence-ledger";
import { openPostgresWatchedPages } from "@metahuman/postgres/schedules/watched-pages";
import { deleteOldRowsOfAll, openUpkeep } from "@metahuman/postgres/upkeep/open-upkeep";
import { type CacheFolder, claimCacheFolder } from "./cache-folder.ts";
import { openChannelSealer } from "./channel-servers.ts";
import type { Installation, InstallationOptions, ProfileState, ProfileStateOptions } from "./installation.ts";
import { openSharedFolder, sharedFolder, type SharedFiles } from "./shared-files.ts";
import { startAudit } from "./start-audit.ts";
import type { StateControl } from "./state-database.ts";

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
  const openFiles = await chooseSharedFiles(env, home);
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
  let files: SharedFiles | undefined;
  try {
    const database = await openPostgres(pool, {
      poll: {
        onFailure: (error) => logger.warn({ err: error }, "changes of other servers are not noticed for now"),
      },
    });
    await checkSecretKey(database, channelSealer);
    // A command may run at the same time as a server of the same name.
    const own = isGiven && isLongLived;
    const claimed = await claimCacheFolder(home, own ? node : `process-${randomUUID()}`, { temporary: !own });
    cache = claimed;
    const ownFolder = join(claimed.path, "files");
    const shared = openFiles({ ownFolder, clock: database.clock });
    files = shared;
    await shared.requireSame(database);
    const { profilesHome } = shared;
    const config = await openPostgresConfig(database, { shippedEtc, etc: homePaths(home).etc });
    const folderOf = (username: string) => profilePaths(profilesHome, username);
    const accounts = await openPostgresAccounts(database, {
      settings: () => config.current().server,
      profiles: {
        requireNone: shared.requireNone,
        async create(username, displayName) {
          const paths = folderOf(username);
          await makeProfileFolders(paths);
          const { rows } = await profileRows(database, username);
          (await openProfileDocuments(database, rows, { username, folder: paths.root, displayName })).close();
        },
        remove: shared.remove,
      },
    });
    const upkeep = isLongLived
      ? openUpkeep(pool, {
          jobs: [{ ...OLD_ROWS, run: (signal) => deleteOldRowsOfAll(database, signal) }],
          onProblem: (error) =>
            logger.warn({ err: error }, "the upkeep of the installation does not work for now"),
        })
      : undefined;
    return {
      node,
      hasFolders: shared.hasFolders,
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
          files: shared,
          config,
          auditKey,
        }),
      profilesWithLostRuns: () => profilesWithLostRuns(database),
      requireReady: readyCheck(database),
      async close() {
        await upkeep?.close();
        accounts.close();
        config.close();
        await hints.close();
        shared.close();
        await database.close();
        await claimed.release();
      },
    };
  } catch (error) {
    files?.close();
    await hints.close();
    await pool.close();
    await cache?.release();
    throw error;
  }
}

/** Every night, once for all servers. */
const OLD_ROWS = { name: "delete-old-rows", cron: "17 3 * * *" };

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

/**
 * Returns a function that opens the workspace of `METAHUMAN_WORKSPACE`. With a bucket, the folders of the profiles are
 * in `ownFolder` and contain only the private files of each server. Throws `ConfigInvalidError` for any other address.
 */
async function chooseSharedFiles(
  env: InstallationOptions["env"],
  home: string,
): Promise<(options: { ownFolder: string; clock: () => Date }) => SharedFiles> {
  if (URL.parse(env["METAHUMAN_WORKSPACE"] ?? "")?.protocol === "s3:") {
    // Loaded only with this setting.
    const { chooseSharedObjects } = await import("./shared-objects.ts");
    return chooseSharedObjects(env);
  }
  const folder = sharedFolder(env, home);
  return () => openSharedFolder(folder);
}

/** The time to wait for the write lock, in milliseconds: another process may be moving many files. */
const FILE_LOCK_MS = 30_000;

/**
 * The period over which the starts of the agents of all profiles are spread, in milliseconds. If a hundred open
 * profiles started theirs at once, they would use all connections for longer than requests wait. Equal to the interval
 * of the ingestor, so that its load is even.
 */
const AGENT_SPREAD_MS = 300_000;

/** Opens the data of a profile in the database. */
async function openProfileRows(
  { username, logger }: ProfileStateOptions,
  {
    database,
    hints,
    cache,
    files,
    isLongLived,
    config,
    auditKey,
  }: Pick<InstallationOptions, "isLongLived"> &
    Pick<Installation, "config" | "auditKey"> & {
      database: Postgres;
      hints: ChangeHints;
      cache: string;
      files: SharedFiles;
    },
): Promise<ProfileState> {
  const { rows, removals } = await profileRows(database, username);
  const paths = profilePaths(files.profilesHome, username);
  const fileLock = openRecordLock(database, rows, "file");
  await makeProfileFolders(paths);
  const parts = new DisposableStack();
  const followed = database.poll.follow(rows);
  parts.defer(() => followed.close());
  const opening = await (async () => {
    const looked = await followed.look();
    const documents = await openProfileDocuments(database, rows, { username, folder: paths.root });
    parts.defer(() => documents.close());
    const audit = await startAudit(
      openPostgresAuditLog(database, rows, {
        key: auditKey,
        anchorFile: () => config.current().server.audit.anchorFile ?? undefined,
      }),
      { logger, anchors: isLongLived },
    );
    return { looked, documents, audit };
  })().catch((error: unknown) => {
    parts.dispose();
    throw error;
  });
  const { documents, audit } = opening;
  const { records: seq, epoch } = opening.looked;
  return {
    audit,
    settings: documents.store,
    channels: documents.channels,
    runs: openPostgresRunStore(database, rows, { hints, followed }),
    runCopies: openPostgresRunCopies(database, rows),
    agents: openPostgresAgentStore(database, rows),
    agentCopies: openPostgresAgentCopies(database, rows),
    ledger: openPostgresLedger(database, rows),
    watchedPages: openPostgresWatchedPages(database, rows),
    evidence: openPostgresEvidence(database, rows),
    memoryUses: openPostgresMemoryUses(database, rows),
    records: {
      ...openPostgresRecords(database, rows, { head: epoch === null ? null : { seq, epoch } }),
      paths: profilePaths(join(cache, String(removals)), username),
      copies: openPostgresRecordCopies(database, rows),
    },
    files: files.open(rows, (work) => fileLock.hold(work, { waitMs: FILE_LOCK_MS })),
    openNotices: (options) => openPostgresNotices(database, rows, options),
    deletesOldRows: false,
    opensForAgents: true,
    agentSpreadMs: AGENT_SPREAD_MS,
    problem: undefined,
    control: stateInDatabase({ searchesMemories: database.vectors !== undefined }),
    expectChanges: (asked) => database.forgetHeads(rows, asked),
    mayHoldRuns: () => followed.found()?.hasRuns ?? true,
    mayHoldWaitingRuns: () => followed.found()?.hasWaitingRuns ?? true,
    mayBeDue: () => isDue(followed.found()),
    onlyAgentsAreDue: () => {
      const found = followed.found();
      return found !== undefined && found.agentsAreDue && !found.isDue;
    },
    mayBeDueUntil(at) {
      const found = followed.found();
      return !found || isDue(found) || (found.nextAt !== null && Date.parse(found.nextAt) <= at.getTime());
    },
    newRegularCheck: () => regularCheck(followed),
    newChangeCheck: () => changeCheck(followed),
    isOutdated: () => false,
    foundDamage: () => undefined,
    async close() {
      await audit.close();
      parts.dispose();
    },
  };
}

const isDue = (found: PolledProfile | undefined): boolean =>
  found === undefined || found.isDue || found.agentsAreDue;

/** True if something of the profile is due, if its records changed since the last true result, or if neither is known. */
function regularCheck(followed: FollowedProfile): () => boolean {
  let records = followed.found()?.records;
  return () => {
    const found = followed.found();
    if (found && !isDue(found) && found.records === records) return false;
    records = found?.records;
    return true;
  };
}

/** True if something of the profile changed since it was last true, if an agent works, and if that is not known. */
function changeCheck(followed: FollowedProfile): () => boolean {
  let seen: string | undefined;
  return () => {
    const found = followed.found();
    const before = seen;
    seen = found && JSON.stringify(found);
    return seen === undefined || seen !== before || found?.agentsAreDue === true;
  };
}

async function refuse(): Promise<never> {
  throw new ConflictError(
    "Runs and conversations are in the database, which PostgreSQL's own tools restore.",
  );
}

/** Backups of the database are made with the tools of PostgreSQL. */
const stateInDatabase = ({ searchesMemories }: { searchesMemories: boolean }): StateControl => ({
  status: () => ({ backups: [], inPostgres: true, searchesMemories }),
  restore: refuse,
  startAnew: refuse,
});
