import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openAgentCopies } from "@metahuman/core/agents/agent-copies";
import { openFileAuditCopies } from "@metahuman/core/audit/audit-copies";
import { type AuditSigning, openAuditKey, openAuditSigning } from "@metahuman/core/audit/signed-chain";
import { readConfigFile } from "@metahuman/core/config/config-file";
import { keyFolder } from "@metahuman/core/config/installation-key";
import { loadConfig } from "@metahuman/core/config/load-config";
import { MODEL_KEYS, openModelKeys } from "@metahuman/core/config/model-keys";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import { ProfileChannels } from "@metahuman/core/contract/channels";
import { Config } from "@metahuman/core/contract/config";
import { Persona, ProfileSettings } from "@metahuman/core/contract/profile";
import { openFileLock } from "@metahuman/core/database/file-lock";
import { machineName, processExists } from "@metahuman/core/database/local-process";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { ConfigInvalidError, ConflictError } from "@metahuman/core/errors/request-errors";
import { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import { openEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { openMemoryUseTable } from "@metahuman/core/memory/evolution/memory-use-table";
import { createFile } from "@metahuman/core/files/durable-file";
import { fileText, parseFile } from "@metahuman/core/files/file-content";
import { homePaths, REPOSITORY } from "@metahuman/core/paths/data-root";
import { type ProfilePaths, profilePaths } from "@metahuman/core/paths/profile-paths";
import { openAccountCopies } from "@metahuman/core/profiles/account-copies";
import { accountSchema } from "@metahuman/core/profiles/account-schema";
import { assertNoOtherOwner, markMigration, unmarkMigration } from "@metahuman/core/profiles/migration-mark";
import { makeProfileFolders } from "@metahuman/core/profiles/open-profile-store";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunCopies } from "@metahuman/core/runs/run-copies";
import { openOperationalCopies } from "@metahuman/core/transfer/operational-tables";
import type { ProfileCopies } from "@metahuman/core/transfer/profile-copies";
import { openFileRecordCopies } from "@metahuman/core/transfer/record-copies";
import { openFileWorkspaceCopies } from "@metahuman/core/workspace/workspace-copies";
import { CHANNEL_SECRETS, openChannelSealer } from "../channel-servers.ts";
import { SHARED_MARK } from "../shared-mark.ts";
import { ensureWritable } from "../writable-home.ts";
import type {
  InstallationParts,
  MigrationSource,
  MigrationTarget,
  PreviewTarget,
} from "./migration-places.ts";
import { assertFreeFolder, prepareTargetFolder } from "./profile-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens an installation on files, to read it. Nothing in the data root changes. Throws `ConfigInvalidError` if it has no
 * accounts.
 */
export async function openFileSource(home: string, env: Environment): Promise<MigrationSource> {
  if (!existsSync(homePaths(home).systemDatabase))
    throw new ConfigInvalidError(`${home} has no account database.`, {
      suggestions: ["Name the data root with METAHUMAN_HOME."],
    });
  const environments = keyEnvironments(home, env);
  const reader = await openFileReader(home, env);
  return {
    installation: {
      ...ownConfig(home),
      modelKeys: {
        read: (id, baseUrl) =>
          firstOf(environments(MODEL_KEYS.file), (own) => openModelKeys(home, own).read(id, baseUrl)),
        put: () => Promise.reject(readOnly()),
      },
      sealer: readOnlySealer(home, environments(CHANNEL_SECRETS.file)),
    },
    accounts: reader.accounts,
    async open(username) {
      const paths = profilePaths(home, username);
      const before = await stampsOf(paths);
      const { copies, state } = await reader.open(username);
      assertNotUsed(state);
      return {
        copies,
        async assertUnchanged() {
          if (JSON.stringify(await stampsOf(paths)) === JSON.stringify(before)) return;
          throw new ConflictError(`The profile ${username} was used while it was read.`, {
            suggestions: ["End all servers and commands that use it, then start the migration again."],
          });
        },
        close: () => state.close(),
      };
    },
    close: reader.close,
  };
}

/**
 * Opens an installation on files to compare what is to be moved with it. Nothing in the data root changes. Undefined for one
 * without accounts. Throws `ConfigInvalidError` for the folder that servers of a database share.
 */
export async function openFilePreview(home: string): Promise<PreviewTarget | undefined> {
  assertNotShared(home);
  if (!existsSync(homePaths(home).systemDatabase)) return undefined;
  const reader = await openFileReader(home, {});
  return {
    accounts: reader.accounts,
    async assertFree(username) {
      assertFreeFolder(profilePaths(home, username).root, username);
    },
    async open(username) {
      const { copies, state } = await reader.open(username);
      return { copies, close: () => state.close() };
    },
    close: reader.close,
  };
}

/**
 * Opens an installation on files to move profiles into it. It is created if it is missing. Throws `ConfigInvalidError` for
 * the folder that servers of a database share.
 */
export function openFileTarget(home: string): MigrationTarget {
  assertNotShared(home);
  const { profiles, systemDatabase, etc } = homePaths(home);
  ensureWritable(home);
  const lock = openFileLock(join(profiles, ".migration.lock"), "the migration");
  const system = openDatabase(systemDatabase, accountSchema, { title: "the account database (system.db)" });
  const accounts = openAccountCopies(system);
  const auditKey = openAuditKey(home, {});
  const sealer = openChannelSealer(home, {});
  const openCopies = (username: string) => {
    const paths = profilePaths(home, username);
    const state = openDatabase(paths.stateDatabase, stateMigrations, {
      title: `the state database of ${username}`,
    });
    const signing = openAuditSigning(home, username, auditKey);
    return { copies: fileCopies(paths, state, { signing, sealer }), state };
  };
  return {
    installation: {
      ...ownConfig(home),
      putSection: (section, text) => createFile(join(etc, `${section}.json`), text, `etc/${section}.json`),
      modelKeys: openModelKeys(home, {}),
      sealer,
    },
    accounts,
    hold: (work) => lock.hold(work, { waitMs: 1_000 }),
    async start(owners) {
      if (owners) assertNoOtherOwner(await accounts.owners(), owners);
      await markMigration(home);
    },
    complete: () => unmarkMigration(home),
    async assertFree(username) {
      assertFreeFolder(profilePaths(home, username).root, username);
    },
    async open(username) {
      const { copies, state } = openCopies(username);
      return { copies, close: () => state.close() };
    },
    async begin(username) {
      const paths = profilePaths(home, username);
      const unmark = await prepareTargetFolder(paths.root, username);
      // Left by an interrupted migration.
      await rm(join(keyFolder(home), "audit-heads", `${username}.json`), { force: true });
      await makeProfileFolders(paths);
      const { copies, state } = openCopies(username);
      return {
        copies,
        async finish(account, options) {
          state.emptyLog();
          await accounts.restore(account, options);
          await unmark();
        },
        close: () => state.close(),
      };
    },
    async close() {
      lock.close();
      system.close();
    },
  };
}

function assertNotShared(home: string): void {
  if (existsSync(join(homePaths(home).profiles, SHARED_MARK)))
    throw new ConfigInvalidError(`${home} is the folder that the servers of a database share.`, {
      suggestions: ["Name another data root with --to."],
    });
}

/**
 * Reads the accounts and profiles of an installation. Reads the databases from copies in a temporary folder, because
 * opening one writes files next to it.
 */
async function openFileReader(home: string, env: Environment) {
  const environments = keyEnvironments(home, env);
  const temporary = await mkdtemp(join(tmpdir(), "mh-migration-"));
  const removeTemporary = () => rm(temporary, { recursive: true, force: true });
  let system: Database;
  try {
    const path = await copyDatabase(homePaths(home).systemDatabase, join(temporary, "system.db"));
    system = openDatabase(path, accountSchema, { title: "the account database (system.db)" });
  } catch (error) {
    await removeTemporary();
    throw error;
  }
  return {
    accounts: openAccountCopies(system),
    async open(username: string): Promise<{ copies: ProfileCopies; state: Database }> {
      const paths = profilePaths(home, username);
      const path = await copyDatabase(paths.stateDatabase, join(temporary, `${username}.db`));
      const state = openDatabase(path, stateMigrations, { title: `the state database of ${username}` });
      const signing = await readSigning(home, username, environments("audit.key"));
      const sealer = readOnlySealer(home, environments(CHANNEL_SECRETS.file));
      return { copies: fileCopies(paths, state, { signing, sealer }), state };
    },
    async close() {
      system.close();
      await removeTemporary();
    },
  };
}

/** The data of a profile in files and `state.db`. */
function fileCopies(
  paths: ProfilePaths,
  state: Database,
  { signing, sealer }: { signing: AuditSigning | undefined; sealer: SecretSealer },
): ProfileCopies {
  return {
    documents: async () => ({
      settings: await readDocument(paths.profile, ProfileSettings),
      persona: await readDocument(paths.persona, Persona),
      channels: existsSync(paths.channels) ? await readDocument(paths.channels, ProfileChannels) : {},
    }),
    async putDocuments({ settings, persona, channels }) {
      await createFile(paths.profile, fileText(settings), "profile.json");
      await createFile(paths.persona, fileText(persona), "persona/core.json");
      if (Object.keys(channels).length === 0) return;
      await createFile(paths.channels, fileText(channels), "channels.json", { mode: 0o600 });
    },
    openSecret: (sealed, purpose) => sealer.open(sealed, purpose),
    sealSecret: (secret, purpose) => sealer.seal(secret, purpose),
    records: openFileRecordCopies(paths.memory),
    runs: openRunCopies(state, () => new Date()),
    agents: openAgentCopies(state),
    evidence: openEvidenceTable(state),
    uses: openMemoryUseTable(state),
    tables: openOperationalCopies(state),
    audit: openFileAuditCopies(paths.logs.audit, signing),
    workspace: openFileWorkspaceCopies(paths.root),
  };
}

/** The configuration of a data root over the shipped defaults. */
function ownConfig(home: string): Pick<InstallationParts, "config" | "sections"> {
  const shipped = join(REPOSITORY, "etc");
  const { etc } = homePaths(home);
  return {
    config: async () => loadConfig([...new Set([shipped, etc])]),
    async sections() {
      const found: { section: keyof Config; text: string }[] = [];
      if (etc === shipped) return found;
      for (const section of Config.keyof().options) {
        const path = join(etc, `${section}.json`);
        // Throws if the file is not JSON; the server does not use such a file either.
        if (readConfigFile(path)) found.push({ section, text: await readFile(path, "utf8") });
      }
      return found;
    },
  };
}

/** Throws `StorageCorruptError` for a document that is missing or invalid, so that none is replaced by defaults. */
async function readDocument<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const content = parseFile(schema, await readFile(path).catch(emptyIfMissing));
  if ("value" in content) return content.value;
  throw new StorageCorruptError(`${path} cannot be read: ${content.reason}.`, {
    suggestions: ["Correct the file, then try again."],
    context: { path },
  });
}

function emptyIfMissing(error: unknown): Buffer {
  if (systemCode(error) === "ENOENT") return Buffer.alloc(0);
  throw fromNodeError(error, "a file of the profile");
}

/** Copies a database with its log of recent changes; nothing if it is missing. */
async function copyDatabase(path: string, to: string): Promise<string> {
  try {
    for (const ending of ["", "-wal"])
      if (existsSync(path + ending)) await copyFile(path + ending, to + ending);
  } catch (error) {
    throw fromNodeError(error, "the copy of a database");
  }
  return to;
}

/** The sizes and times of the files that every use of a profile changes. */
async function stampsOf({ stateDatabase, logs }: ProfilePaths): Promise<string[]> {
  const files = [stateDatabase, `${stateDatabase}-wal`, join(logs.audit, "head.json")];
  return await Promise.all(
    files.map(async (file) => {
      if (!existsSync(file)) return "";
      const { size, mtimeMs } = await stat(file);
      return `${size} ${mtimeMs}`;
    }),
  );
}

const LeaseRow = z.object({ machine: z.string(), pid: z.int() });

/** Throws `ConflictError` while a process uses the profile. */
function assertNotUsed(state: Database): void {
  const leases = state.query("SELECT machine, pid FROM leases WHERE expires_at > ?", LeaseRow);
  // A process that has ended may leave a lease behind, and so may this one.
  const isLive = ({ machine, pid }: z.output<typeof LeaseRow>) =>
    machine !== machineName() || (pid !== process.pid && processExists(pid));
  if (!leases.all(Date.now()).some(isLive)) return;
  state.close();
  throw new ConflictError("A server or a command uses this profile.", {
    suggestions: ["Stop it, wait 15 seconds, then try again."],
  });
}

/** The environments with which a secret of a data root may have been encrypted: with a key in a file, or from the environment. */
function keyEnvironments(home: string, env: Environment): (file: string) => Environment[] {
  return (file) => [
    ...(existsSync(join(keyFolder(home), file)) ? [{}] : []),
    ...(env["METAHUMAN_SECRET_KEY"]?.trim() ? [env] : []),
  ];
}

function firstOf<Result>(
  environments: readonly Environment[],
  read: (env: Environment) => Result | undefined,
): Result | undefined {
  for (const env of environments) {
    const found = read(env);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readOnlySealer(home: string, environments: readonly Environment[]): SecretSealer {
  return {
    open: (sealed, purpose) =>
      firstOf(environments, (env) => openChannelSealer(home, env).open(sealed, purpose)),
    seal() {
      throw readOnly();
    },
  };
}

/** The signature of a log with the key that made it. Undefined without any key. */
async function readSigning(
  home: string,
  username: string,
  environments: readonly Environment[],
): Promise<AuditSigning | undefined> {
  const possible = environments.map((env) => openAuditSigning(home, username, openAuditKey(home, env)));
  for (const signing of possible) if ((await signing.read())?.status === "valid") return signing;
  return possible[0];
}

function readOnly(): ConflictError {
  return new ConflictError("The source of a migration is only read.");
}
