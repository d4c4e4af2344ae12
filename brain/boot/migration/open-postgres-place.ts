import { join } from "node:path";
import { openAuditKey } from "@metahuman/core/audit/signing";
import { MODEL_KEYS } from "@metahuman/core/config/model-keys";
import { openSealer } from "@metahuman/core/config/sealed-secrets";
import { Config } from "@metahuman/core/contract/config";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { homePaths, REPOSITORY } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { makeProfileFolders } from "@metahuman/core/profiles/open-profile-store";
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
import { openPostgresProfileCopies } from "@metahuman/postgres/transfer/profile-copies";
import { openChannelSealer } from "../channel-servers.ts";
import { requireSecretKey } from "../postgres-installation.ts";
import { requireSharedFolder, sharedFolder } from "../shared-files.ts";
import type { InstallationParts, MigrationSource, MigrationTarget } from "./migration-places.ts";
import { assertFreeFolder, beginFolder } from "./profile-folder.ts";

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
  const { driver, workspaceHome, keys } = prepare(url, options, { addressName: "--from", readOnly: true });
  try {
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
          copies: openPostgresProfileCopies(database, rows, {
            ...keys,
            workspace: openFileWorkspaceCopies(profilePaths(workspaceHome, username).root),
          }),
          assertUnchanged: () => assertNotInUse(database, rows),
          close: () => undefined,
        };
      },
      async close() {
        config.close();
        await driver.close();
      },
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/**
 * Opens an installation in a database, to move profiles into it; creates the tables. With `preview`, changes nothing: undefined
 * for a database without tables. Throws as `openPostgresInstallation`.
 */
export async function openPostgresTarget(
  url: string,
  options: PostgresPlaceOptions,
  { preview }: { preview: boolean },
): Promise<MigrationTarget | undefined> {
  const { driver, workspaceHome, keys } = prepare(url, options, { addressName: "--to", readOnly: preview });
  try {
    const database = await openPostgres(driver, { schema: preview ? "require" : "migrate" });
    await (preview ? assertSecretKey : checkSecretKey)(database, keys.sealer);
    if (!preview) await requireSharedFolder(database, workspaceHome);
    const config = await openConfig(database, options.home);
    const lock = openMigrationLock(database);
    const folderOf = (username: string) => profilePaths(workspaceHome, username);
    const copiesOf = (username: string, rows: string) =>
      openPostgresProfileCopies(database, rows, {
        ...keys,
        workspace: openFileWorkspaceCopies(folderOf(username).root),
      });
    return {
      installation: installationParts(database, config, keys),
      accounts: openPostgresAccountCopies(database),
      hold: (work) => lock.hold(work),
      async assertFree(username) {
        await assertNoProfile(database, username);
        assertFreeFolder(folderOf(username).root, username);
      },
      async open(username) {
        const { rows } = await profileRows(database, username);
        return { copies: copiesOf(username, rows), close: () => undefined };
      },
      async begin(username) {
        // First: while the folder is there without an account, no account of this name is created.
        const unmark = await beginFolder(folderOf(username).root, username);
        await makeProfileFolders(folderOf(username));
        const move = await beginMove(database, username, lock);
        return {
          copies: copiesOf(username, move.rows),
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
  } catch (error) {
    await driver.close();
    if (preview && error instanceof ConfigInvalidError && error.context["isEmpty"] === true) return undefined;
    throw error;
  }
}

function prepare(
  url: string,
  { home, env, open = openPool }: PostgresPlaceOptions,
  options: { addressName: string; readOnly: boolean },
) {
  requireSecretKey(env);
  const keys = {
    auditKey: openAuditKey(home, env),
    sealer: openChannelSealer(home, env),
    modelKeySealer: openSealer(home, env, MODEL_KEYS),
  };
  const workspaceHome = sharedFolder(env, home);
  return { driver: open(url, options), workspaceHome, keys };
}

function openConfig(database: Postgres, home: string): Promise<PostgresConfig> {
  return openPostgresConfig(database, { shippedEtc: join(REPOSITORY, "etc"), etc: homePaths(home).etc });
}

function installationParts(
  database: Postgres,
  config: PostgresConfig,
  { sealer, modelKeySealer }: ReturnType<typeof prepare>["keys"],
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
