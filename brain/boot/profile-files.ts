import { openAgentCopies } from "@metahuman/core/agents/agent-copies";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { openEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { openMemoryUseTable } from "@metahuman/core/memory/evolution/memory-use-table";
import { openNotices } from "@metahuman/core/notices/open-notices";
import { openProfileChannels } from "@metahuman/core/notices/open-profile-channels";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openProfileStore } from "@metahuman/core/profiles/open-profile-store";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import { openRunCopies } from "@metahuman/core/runs/run-copies";
import { openOccurrenceLedger } from "@metahuman/core/schedules/open-occurrence-ledger";
import { openWatchedPages } from "@metahuman/core/schedules/watched-pages";
import { startAudit } from "./start-audit.ts";
import { openState } from "./state-database.ts";
import { openAuditSigning } from "@metahuman/core/audit/signed-chain";
import type { Installation, InstallationOptions, ProfileState, ProfileStateOptions } from "./installation.ts";

/** Opens a profile's `profile.json`, `channels.json`, audit days and `state.db`. */
export async function openProfileFiles(
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
    expectChanges: () => undefined,
    mayHoldRuns: () => true,
    mayHoldWaitingRuns: () => true,
    mayBeDue: () => true,
    onlyAgentsAreDue: () => false,
    mayBeDueUntil: () => true,
    newRegularCheck: () => () => true,
    newChangeCheck: () => () => true,
    files: undefined,
    deletesOldRows: true,
    opensForAgents: false,
    agentSpreadMs: 0,
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
