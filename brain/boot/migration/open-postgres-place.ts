import { join } from "node:path";
import { type AuditKey, openAuditKey } from "@metahuman/core/audit/signed-chain";
import { MODEL_KEYS } from "@metahuman/core/config/model-keys";
import { openSealer, type SecretSealer } from "@metahuman/core/config/sealed-secrets";
import { Config } from "@metahuman/core/contract/config";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { homePaths, REPOSITORY } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { makeProfileFolders } from "@metahuman/core/profiles/open-profile-store";
import type { ProfileCopies } from "@metahuman/core/transfer/profile-copies";
import { openFileWorkspaceCopies } from "@metahuman/core/workspace/workspace-copies";
import { openPostgresAccountCopies } from "@metahuman/postgres/accounts/account-copies";
import { openPostgresConfig, type PostgresConfig } from "@metahuman/postgres/config/open-config";
import {
  assertSecretKey,
  checkSecretKey,
  profileRows,
} from "@metahuman/postgres/installation/installation-facts";
import { openPostgresModelKeys } from "@metahuman/postgres/installation/model-keys";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { type Driver, openPool } from "@metahuman/postgres/pg-driver";
import {
  assertNoProfile,
  assertNotInUse,
  beginMove,
  openMigrationLock,
} from "@metahuman/postgres/transfer/moving-profile";
import { endMigration, startMigration } from "@metahuman/postgres/transfer/migration-mark";
import { openPostgresProfileCopies } from "@metahuman/postgres/transfer/profile-copies";
import { openChannelSealer } from "../channel-servers.ts";
import { requireSecretKey } from "../postgres-installation.ts";
import { requireSharedFolder, sharedFolder } from "../shared-files.ts";
import type {
  InstallationParts,
  MigrationSource,
  MigrationTarget,
  PreviewTarget,
} from "./migration-places.ts";
import { assertFreeFolder, prepareTargetFolder } from "./profile-folder.ts";

export interface PostgresPlaceOptions {
  /** The data root of this process, whose `etc/` applies below the configuration in the database. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Opens the connections. Default: a pool for the address. */
  open?: (url: string, options: { readOnly: boolean; addressName: string }) => Driver;
}

/** Opens an installation in a database, to read it: the server refuses every change. Throws as `openPostgres`. */
export async function openPostgresSource(
  url: string,
  options: PostgresPlaceOptions,
): Promise<MigrationSource> {
  return await withDriver(url, options, { addressName: "--from", readOnly: true }, async (parts) => {
    const { driver, workspaceHome, keys } = parts;
    const database = await openPostgres(driver, { schema: "require" });
    await assertSecretKey(database, keys.sealer);
    const config = await openConfig(database, options.home);
    return {
      installation: installationParts(database, config, keys),
      accounts: openPostgresAccountCopies(database),
      async open(username) {
        const { rows } = await profileRows(database, username);
        await assertNotInUse(database, rows);
        return {
          copies: copiesOf(database, { username, rows, workspaceHome, keys }),
          assertUnchanged: () => assertNotInUse(database, rows),
          close: () => undefined,
        };
      },
      async close() {
        config.close();
        await driver.close();
      },
    };
  });
}

/**
 * Opens an installation in a database to compare what is to be moved with it; the server refuses every change. Undefined for a
 * database without tables. Throws as `openPostgres`.
 */
export async function openPostgresPreview(
  url: string,
  options: PostgresPlaceOptions,
): Promise<PreviewTarget | undefined> {
  try {
    return await withDriver(url, options, { addressName: "--to", readOnly: true }, async (parts) => {
      const { driver, workspaceHome, keys } = parts;
      const database = await openPostgres(driver, { schema: "require" });
      await assertSecretKey(database, keys.sealer);
      return { ...comparable(database, { workspaceHome, keys }), close: () => driver.close() };
    });
  } catch (error) {
    if (error instanceof ConfigInvalidError && error.context["isEmpty"] === true) return undefined;
    throw error;
  }
}

/**
 * Opens an installation in a database, to move profiles into it; creates the tables. Throws as
 * `openPostgresInstallation`.
 */
export async function openPostgresTarget(
  url: string,
  options: PostgresPlaceOptions,
): Promise<MigrationTarget> {
  return await withDriver(url, options, { addressName: "--to", readOnly: false }, async (parts) => {
    const { driver, workspaceHome, keys } = parts;
    const database = await openPostgres(driver);
    await checkSecretKey(database, keys.sealer);
    await requireSharedFolder(database, workspaceHome);
    const config = await openConfig(database, options.home);
    const lock = openMigrationLock(database);
    return {
      ...comparable(database, { workspaceHome, keys }),
      installation: installationParts(database, config, keys),
      hold: (work) => lock.hold(work),
      start: (owners) => startMigration(database, owners),
      complete: () => endMigration(database),
      async begin(username) {
        const paths = profilePaths(workspaceHome, username);
        // First: while the folder is there without an account, no account of this name is created.
        const unmark = await prepareTargetFolder(paths.root, username);
        await makeProfileFolders(paths);
        const move = await beginMove(database, username, lock);
        return {
          copies: copiesOf(database, { username, rows: move.rows, workspaceHome, keys }),
          async finish(account, times) {
            await move.finish(account, times);
            await unmark();
          },
          close: () => undefined,
        };
      },
      async close() {
        config.close();
        await driver.close();
      },
    };
  });
}

/** The accounts and profiles of a database, to compare a migration with them. */
function comparable(
  database: Postgres,
  { workspaceHome, keys }: { workspaceHome: string; keys: Keys },
): Omit<PreviewTarget, "close"> {
  return {
    accounts: openPostgresAccountCopies(database),
    async assertFree(username) {
      await assertNoProfile(database, username);
      assertFreeFolder(profilePaths(workspaceHome, username).root, username);
    },
    async open(username) {
      const { rows } = await profileRows(database, username);
      return { copies: copiesOf(database, { username, rows, workspaceHome, keys }), close: () => undefined };
    },
  };
}

/** The copies of a profile's rows and of its workspace folder. */
function copiesOf(
  database: Postgres,
  {
    username,
    rows,
    workspaceHome,
    keys,
  }: { username: string; rows: string; workspaceHome: string; keys: Keys },
): ProfileCopies {
  const workspace = openFileWorkspaceCopies(profilePaths(workspaceHome, username).root);
  return openPostgresProfileCopies(database, rows, { ...keys, workspace });
}

interface PlaceParts {
  driver: Driver;
  workspaceHome: string;
  keys: Keys;
}

interface Keys {
  auditKey: AuditKey;
  sealer: SecretSealer;
  modelKeySealer: SecretSealer;
}

/** Opens a place with connections of its own, which are closed if that fails. */
async function withDriver<Place>(
  url: string,
  { home, env, open = openPool }: PostgresPlaceOptions,
  options: { addressName: string; readOnly: boolean },
  openPlace: (parts: PlaceParts) => Promise<Place>,
): Promise<Place> {
  requireSecretKey(env);
  const keys = {
    auditKey: openAuditKey(home, env),
    sealer: openChannelSealer(home, env),
    modelKeySealer: openSealer(home, env, MODEL_KEYS),
  };
  const workspaceHome = sharedFolder(env, home);
  const driver = open(url, options);
  try {
    return await openPlace({ driver, workspaceHome, keys });
  } catch (error) {
    await driver.close();
    throw error;
  }
}

function openConfig(database: Postgres, home: string): Promise<PostgresConfig> {
  return openPostgresConfig(database, { shippedEtc: join(REPOSITORY, "etc"), etc: homePaths(home).etc });
}

function installationParts(
  database: Postgres,
  config: PostgresConfig,
  { sealer, modelKeySealer }: Keys,
): InstallationParts {
  return {
    config: () => config.refresh(),
    async sections() {
      const found: { section: keyof Config; text: string }[] = [];
      for (const section of Config.keyof().options) {
        const text = await config.section(section);
        if (text !== undefined) found.push({ section, text });
      }
      return found;
    },
    putSection: (section, text) => config.saveSection(section, text),
    modelKeys: openPostgresModelKeys(database, { sealer: modelKeySealer, known: config.modelKeys }),
    sealer,
  };
}
