import { openAgentCopies } from "@metahuman/core/agents/agent-copies";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { openAuditKey, openAuditSigning } from "@metahuman/core/audit/signing";
import { openConfig } from "@metahuman/core/config/config-source";
import { openModelKeys } from "@metahuman/core/config/model-keys";
import { scheduleBackups } from "@metahuman/core/database/backup";
import { openEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { openMemoryUseTable } from "@metahuman/core/memory/evolution/memory-use-table";
import { openNotices } from "@metahuman/core/notices/open-notices";
import { openProfileChannels } from "@metahuman/core/notices/open-profile-channels";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openAccounts } from "@metahuman/core/profiles/open-accounts";
import { openProfileStore } from "@metahuman/core/profiles/open-profile-store";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import { openRunCopies } from "@metahuman/core/runs/run-copies";
import { openOccurrenceLedger } from "@metahuman/core/schedules/open-occurrence-ledger";
import { openWatchedPages } from "@metahuman/core/schedules/watched-pages";
import { openChannelSealer } from "./channel-servers.ts";
import type { Installation, InstallationOptions, ProfileState, ProfileStateOptions } from "./installation.ts";
import { startAudit } from "./start-audit.ts";
import { openState } from "./state-database.ts";

/** Opens an installation whose truth is files and SQLite databases in the data root. */
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
    profilesHome: home,
    config,
    accounts,
    auditKey,
    modelKeys: openModelKeys(home, env),
    channelSealer: openChannelSealer(home, env),
    openProfileState: (profile) => openProfileFiles(profile, { ...options, config, auditKey }),
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

/** Opens a profile's `profile.json`, `channels.json`, audit days and `state.db`. */
async function openProfileFiles(
  { username, clock, logger, damage }: ProfileStateOptions,
  {
    home,
    isLongLived,
    config,
    auditKey,
  }: Pick<InstallationOptions, "home" | "isLongLived"> & Pick<Installation, "config" | "auditKey">,
): Promise<ProfileState> {
  const paths = profilePaths(home, username);
  const audit = await startAudit(
    openAuditLog(paths.logs.audit, clock, {
      signing: openAuditSigning(home, username, auditKey),
      anchorFile: () => config.current().server.audit.anchorFile ?? undefined,
    }),
    { logger, anchors: isLongLived },
  );
  const settings = await openProfileStore({ home, username });
  const state = openState({
    path: paths.stateDatabase,
    audit,
    actor: username,
    clock,
    onWarning: (message, cause) => logger.warn({ err: cause }, message),
    damage,
    backsUp: isLongLived,
  });
  const { database, problem, control, isOutdated, foundDamage } = state;
  const channels = openProfileChannels(paths);
  return {
    audit,
    settings,
    channels,
    runs: openRunStore(database, { clock }),
    runCopies: openRunCopies(database, clock),
    agents: openAgentStore(database, { clock }),
    agentCopies: openAgentCopies(database),
    ledger: openOccurrenceLedger(database, { clock }),
    watchedPages: openWatchedPages(database, { clock }),
    evidence: openEvidenceTable(database),
    memoryUses: openMemoryUseTable(database),
    openNotices: (options) => openNotices(database, { clock, ...options }),
    records: undefined,
    problem,
    control,
    isOutdated,
    foundDamage,
    async close() {
      await audit.close();
      settings.close();
      channels.close();
      await state.close();
    },
  };
}
