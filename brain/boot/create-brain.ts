import { join } from "node:path";
import type { ModelKeys } from "@metahuman/core/config/model-keys";
import type { ConfigSource, EditableConfig } from "@metahuman/core/config/config-source";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { Account } from "@metahuman/core/contract/account";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import { homePaths, REPOSITORY } from "@metahuman/core/paths/data-root";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { followEmbedder } from "@metahuman/models/embedder/follow-embedder";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import type { Brain } from "./brain.ts";
import { createChannelServers } from "./channel-servers.ts";
import { openFileInstallation } from "./file-installation.ts";
import type { Installation, InstallationOptions } from "./installation.ts";
import { createModelControl } from "./model-control.ts";
import { modelSituation } from "./model-situation.ts";
import { functionSecrets, openCodeRunner } from "./open-code-runner.ts";
import type { OpenedProfile, ProfileOptions } from "./profile-options.ts";
import { createProfileRegistry, type ProfileRegistry, startIdleChecks } from "./profile-registry.ts";
import { version } from "./version.ts";
import { ensureWritable } from "./writable-home.ts";
import { OperatorFlag, type RuntimeConfig } from "@metahuman/core/contract/config";

/** How often profiles that are not open are asked for what is due, in milliseconds. */
const DUE_INTERVAL_MS = 15_000;

export interface BrainOptions {
  /** The absolute path of the data root. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
  /**
   * Whether this process claims queued runs of processes that have ended. True (the default) for a long-lived process;
   * a short command would only interrupt them.
   */
  adoptsQueuedRuns?: boolean;
  connect?: InstallationOptions["connect"];
}

/** The only place that selects where an installation is stored. Without the address of a database, its code is not loaded. */
async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const url = options.env["METAHUMAN_DATABASE_URL"]?.trim();
  if (!url) return openFileInstallation(options);
  const { openPostgresInstallation } = await import("./postgres-installation.ts");
  return openPostgresInstallation(url, options);
}

/** How long requests under way may still use the profile of a person who is removed, in milliseconds. */
const RELEASE_MS = 3_000;

/**
 * Opens a data root: configuration and accounts now, each profile when it is first requested. The only place that
 * selects implementations. Throws `ConfigInvalidError` with file, position and reason, and `PermissionDeniedError`,
 * `StorageReadOnlyError` or `StorageFullError` if the data root is not writable.
 */
export async function createBrain({
  home,
  env,
  logger,
  adoptsQueuedRuns = true,
  connect,
}: BrainOptions): Promise<Brain> {
  ensureWritable(home);
  const installation = await openInstallation({
    home: homePaths(home).home,
    shippedEtc: join(REPOSITORY, "etc"),
    env,
    logger,
    isLongLived: adoptsQueuedRuns,
    connect,
  });
  const { config, accounts, auditKey, modelKeys, channelSealer } = installation;
  const { embedder, router, chosenEmbedder, models } = openModelServices(config, { env, modelKeys, logger });
  const code = openCodeRunner(functionSecrets({ env, config: () => config.current() }));
  let closing: Promise<void> | undefined;
  const opener = createProfileOpener({
    installation,
    config,
    channelSealer,
    embedder,
    chosenEmbedder,
    router,
    env,
    logger,
    adoptsQueuedRuns,
    code,
    isClosing: () => closing !== undefined,
  });
  const limits = () => config.current().server.profiles;
  const profiles = createProfileRegistry(opener.open, { logger, maxOpen: () => limits().maxOpen });
  // A short command ends before a profile becomes idle.
  const idleChecks = adoptsQueuedRuns ? startIdleChecks(profiles, () => limits().idleTimeoutMs) : undefined;

  /** Nothing is scheduled, delivered or run any more for a person who was removed, in whichever process. */
  async function closeRemoved(username: string, waitMs = 0): Promise<void> {
    try {
      await profiles.released(username, waitMs);
      await profiles.close(username, 0);
    } catch (error) {
      logger.warn({ err: error, profile: username }, "the profile of a removed person could not be closed");
    }
  }

  const dueChecks = adoptsQueuedRuns
    ? startDueChecks({
        async dueProfiles() {
          const present = new Set((await accounts.list()).map(({ username }) => username));
          for (const username of profiles.usernames())
            if (!present.has(username)) await closeRemoved(username);
          return dueProfilesOf(installation, profiles.usernames());
        },
        // An open profile runs its own schedules.
        open: async (username) =>
          void (closing || profiles.has(username) || (await profiles.openCurrent(username))),
        logger,
      })
    : undefined;

  async function requireAccount(username: string, account?: Account): Promise<void> {
    if (closing) throw new ConflictError("MetaHuman OS is shutting down.");
    await closeIfAccountChanged(username, { accounts, profiles, openedFor: opener.openedFor, account });
  }

  async function closeAll(graceMs: number): Promise<void> {
    dueChecks?.stop();
    idleChecks?.stop();
    await profiles.closeAll(graceMs);
    chosenEmbedder.close();
    router.close();
    code.close();
    await installation.close();
  }

  return {
    version: version(),
    home,
    profilesHome: installation.profilesHome,
    hasFolders: installation.hasFolders,
    node: installation.node,
    requireReady: () => installation.requireReady(),
    config,
    accounts: {
      ...accounts,
      async remove(username) {
        await accounts.remove(username, () => closeRemoved(username, RELEASE_MS));
      },
    },
    auditKey,
    async profile(username) {
      await requireAccount(username);
      return (await profiles.openCurrent(username)).profile;
    },
    async holdProfile(username, account) {
      await requireAccount(username, account);
      const { opened, release } = await profiles.hold(username);
      return { profile: opened.profile, release };
    },
    closeIdleProfiles: (idleMs) => profiles.closeIdle(idleMs),
    models,
    modelControl: createModelControl({ router, config, situation: models, keys: modelKeys, env }),
    channelServers: createChannelServers({ config, sealer: channelSealer }),
    changeFlags: (flags) => changeFlags(flags, config),
    close: ({ graceMs }) => (closing ??= closeAll(graceMs)),
  };
}

/** Opens profiles for the accounts that exist then. */
function createProfileOpener({
  installation,
  code,
  isClosing,
  ...shared
}: Omit<ProfileOptions, "home" | "username" | "code" | "installation" | "onNextMoment" | "stateDamage"> & {
  installation: Installation;
  code: ReturnType<typeof openCodeRunner>;
  isClosing: () => boolean;
}) {
  const { accounts } = installation;
  /** When the accounts of the profiles that were opened were created. */
  const openedFor = new Map<string, string>();

  function storeNextMoment(username: string, next: string | null): void {
    if (isClosing()) return;
    accounts
      .setNextMoment(username, next)
      .catch((error: unknown) =>
        shared.logger.warn(
          { err: error, profile: username },
          "the next scheduled moment could not be stored",
        ),
      );
  }

  return {
    openedFor,
    async open(username: string, stateDamage?: StorageCorruptError): Promise<OpenedProfile> {
      // Skills, grammar and search are loaded with the first profile; setup and sign-in do not need them.
      const { openProfile } = await import("./open-profile.ts");
      openedFor.set(username, (await accounts.get(username)).createdAt);
      return openProfile({
        ...shared,
        home: installation.profilesHome,
        username,
        code: code.forOwner(username),
        installation,
        stateDamage,
        onNextMoment: (next) => storeNextMoment(username, next),
      });
    },
  };
}

/** The profiles for which something is due, or whose runs no process carries out any more. */
async function dueProfilesOf(installation: Installation, open: readonly string[]): Promise<string[]> {
  const due = await installation.accounts.dueProfiles(installation.clock(), open);
  return [...new Set([...due, ...(await installation.profilesWithLostRuns())])];
}

/**
 * Closes a profile whose account was removed or created again since it was opened. Throws `NotFoundError` for a name without
 * an account.
 */
async function closeIfAccountChanged(
  username: string,
  {
    accounts,
    profiles,
    openedFor,
    account,
  }: {
    accounts: Pick<Accounts, "get">;
    profiles: Pick<ProfileRegistry, "close">;
    /** When the accounts of the profiles that were opened were created. */
    openedFor: ReadonlyMap<string, string>;
    /** The account, if it was just read. */
    account: Account | undefined;
  },
): Promise<void> {
  try {
    const { createdAt } = account ?? (await accounts.get(username));
    // Another process may have removed the account and created it again while the profile was open.
    if ((openedFor.get(username) ?? createdAt) !== createdAt) await profiles.close(username, 0);
  } catch (error) {
    // The folder of a removed account was moved away while the profile was open.
    if (error instanceof NotFoundError) await profiles.close(username, 0);
    throw error;
  }
}

/** Opens the router to the model servers and the embedders. */
function openModelServices(
  config: ConfigSource,
  { env, modelKeys, logger }: Pick<BrainOptions, "env" | "logger"> & { modelKeys: ModelKeys },
) {
  const embedder = createBuiltInEmbedder();
  const router = createRouter({
    config: () => config.current().models,
    useSingleModel: () => config.current().operator.models.useSingleModel,
    think: () => config.current().operator.models.think,
    open: (id, entry, limits) => openProvider(id, entry, limits, env, modelKeys),
  });
  const chosenEmbedder = followEmbedder({
    router,
    assigned: () => config.current().models.roles.embedder,
    onWarning: (message, cause) => logger.warn({ err: cause }, message),
  });
  const models: Brain["models"] = async (options = { fresh: false }) => {
    if (options.fresh) await config.refresh();
    await router.servers(options);
    await chosenEmbedder.refresh();
    const { models, operator, runtime } = config.current();
    return modelSituation(router, {
      embedder: (chosenEmbedder.current() ?? embedder).id,
      assigned: models.roles,
      toolCallingRole: runtime.operator.reactV2 ? undefined : operator.models.planningModel,
    });
  };
  return { embedder, router, chosenEmbedder, models };
}

/** Opens the profiles for which something is due, now and every 15 seconds, so that it runs without a signed-in person. */
function startDueChecks({
  dueProfiles,
  open,
  logger,
}: {
  dueProfiles: () => Promise<readonly string[]>;
  open: (username: string) => Promise<void>;
  logger: Logger;
}): { stop(): void } {
  async function openDueProfiles(): Promise<void> {
    for (const username of await dueProfiles()) {
      try {
        await open(username);
      } catch (error) {
        logger.error({ err: error, profile: username }, "a profile with a due schedule could not be opened");
      }
    }
  }
  let isChecking = false;
  const check = (): void => {
    if (isChecking) return;
    isChecking = true;
    openDueProfiles()
      .catch((error: unknown) =>
        logger.error({ err: error }, "the profiles with due schedules could not be read"),
      )
      .finally(() => (isChecking = false));
  };
  const timer = setInterval(check, DUE_INTERVAL_MS).unref();
  setImmediate(check);
  return { stop: () => clearInterval(timer) };
}

/**
 * Writes flags to `etc/runtime.json` of the data root; each takes effect with the next run. Throws `ConfigInvalidError`
 * without writing while the configuration is invalid.
 */
async function changeFlags(
  flags: Partial<Record<OperatorFlag, boolean>>,
  config: EditableConfig,
): Promise<RuntimeConfig> {
  await config.refresh();
  const problem = config.problem();
  if (problem) throw problem;
  for (const flag of OperatorFlag.options) {
    const value = flags[flag];
    if (value !== undefined) await config.change({ section: "runtime", keyPath: ["operator", flag], value });
  }
  return (await config.refresh()).runtime;
}
