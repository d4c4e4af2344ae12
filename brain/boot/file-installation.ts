import { openAuditKey } from "@metahuman/core/audit/signed-chain";
import { openConfig } from "@metahuman/core/config/config-source";
import { openModelKeys } from "@metahuman/core/config/model-keys";
import { scheduleBackups } from "@metahuman/core/database/backup";
import { homePaths } from "@metahuman/core/paths/data-root";
import { openAccounts } from "@metahuman/core/profiles/open-accounts";
import { openChannelSealer } from "./channel-servers.ts";
import type { Installation, InstallationOptions } from "./installation.ts";

/** Opens an installation that is stored in files and SQLite databases in the data root. */
export async function openFileInstallation(options: InstallationOptions): Promise<Installation> {
  const { home, shippedEtc, env, logger, isLongLived } = options;
  const config = openConfig({ home, shippedEtc });
  const auditKey = openAuditKey(home, env);
  const accounts = await openAccounts({ home, settings: () => config.current().server });
  const backups = isLongLived
    ? scheduleBackups(homePaths(home).systemDatabase, {
        clock: () => new Date(),
        onWarning: (message, cause) => logger.warn({ err: cause }, message),
      })
    : undefined;
  return {
    node: undefined,
    clock: () => new Date(),
    profilesHome: home,
    hasFolders: true,
    config,
    accounts,
    auditKey,
    modelKeys: openModelKeys(home, env),
    channelSealer: openChannelSealer(home, env),
    async openProfileState(profile) {
      // Loaded with the first profile; setup and sign-in do not need it.
      const { openProfileFiles } = await import("./profile-files.ts");
      return openProfileFiles(profile, { ...options, config, auditKey });
    },
    // The next request finds them when it opens the profile.
    profilesWithLostRuns: async () => [],
    requireReady: async () => undefined,
    async close() {
      await backups?.close();
      accounts.close();
      config.close();
    },
  };
}
