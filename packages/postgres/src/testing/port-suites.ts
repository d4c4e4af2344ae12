import { describeAgentStore } from "@metahuman/core/agents/agent-store.suite";
import { describeEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table.suite";
import { describeMemoryUses } from "@metahuman/core/memory/evolution/memory-uses.suite";
import { describeNotices } from "@metahuman/core/notices/notice-port.suite";
import { describeOccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger.suite";
import { describeRunStore, describeSharedRunStore } from "@metahuman/core/runs/run-store.suite";
import { describeCopies } from "@metahuman/core/transfer/copies.suite";
import { openPostgresAgentCopies } from "../agents/agent-copies.ts";
import { openPostgresAgentStore } from "../agents/open-agent-store.ts";
import { openPostgresEvidence } from "../evidence/open-evidence-table.ts";
import { openPostgresMemoryUses } from "../evidence/open-memory-uses.ts";
import { openPostgresNotices } from "../notices/open-notices.ts";
import { openPostgresRunStore } from "../runs/open-run-store.ts";
import { openPostgresRunCopies } from "../runs/run-copies.ts";
import { openPostgresLedger } from "../schedules/open-occurrence-ledger.ts";
import type { DatabaseBench } from "./bench.ts";

const close = async () => undefined;

/** Tests every port that the database implements. */
export function describePorts(name: string, open: () => Promise<DatabaseBench>): void {
  const runStores = async () => {
    const { database, newProfile, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresRunStore(database, profile), passTime, close };
  };
  describeRunStore(name, runStores);
  describeSharedRunStore(name, runStores);
  describeAgentStore(name, async () => {
    const { database, newProfile, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresAgentStore(database, profile), passTime, close };
  });

  describeOccurrenceLedger(name, async () => {
    const { database, newProfile, now, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresLedger(database, profile), now, passTime, close };
  });

  describeNotices(name, async () => {
    const { database, newProfile, now, passTime } = await open();
    const profile = newProfile();
    return {
      open: async () =>
        openPostgresNotices(database, profile, {
          channels: (urgency) => (urgency === "low" ? [] : ["webhook"]),
        }),
      now,
      passTime,
      close,
    };
  });

  describeEvidenceTable(name, async () => {
    const { database, newProfile } = await open();
    return {
      here: openPostgresEvidence(database, newProfile()),
      elsewhere: openPostgresEvidence(database, newProfile()),
      close,
    };
  });

  describeMemoryUses(name, async () => {
    const { database, newProfile } = await open();
    return { uses: openPostgresMemoryUses(database, newProfile()), close: () => undefined };
  });

  describeCopies(name, async () => {
    const { database, newProfile } = await open();
    const place = (profile: string) => ({
      runs: openPostgresRunStore(database, profile),
      runCopies: openPostgresRunCopies(database, profile),
      agents: openPostgresAgentStore(database, profile),
      agentCopies: openPostgresAgentCopies(database, profile),
    });
    return { from: place(newProfile()), to: place(newProfile()), close };
  });
}
