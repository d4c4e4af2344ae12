import type { RunStorage } from "@metahuman/agents/operator/loop/run-scheduler";
import { openDatabase } from "@metahuman/core/database/open-database";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunStore, runStoreWhenUsed } from "@metahuman/core/runs/open-run-store";
import { createRunFeed } from "@metahuman/core/runs/run-feed";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { openScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import { createChanges } from "./changes.ts";
import { openStorage } from "./open-storage.ts";
import type { ProfileOptions } from "./profile-options.ts";
import { auditedStore } from "./start-audit.ts";

export type ProfileStores = Awaited<ReturnType<typeof openStores>>;

/** Opens all stores of a profile except its functions. `parts` receives what closes them. */
export async function openStores(options: ProfileOptions, parts: AsyncDisposableStack) {
  const { home, username } = options;
  const logger = options.logger.child({ profile: username });
  const paths = profilePaths(home, username);
  const { clock } = options.installation;
  const warn = (message: string, cause?: unknown) => logger.warn({ err: cause }, message);
  const state = await options.installation.openProfileState({
    username,
    clock,
    logger,
    damage: options.stateDamage,
  });
  parts.defer(() => state.close());
  const { audit, memoryUses: uses } = state;
  const store = auditedStore(state.settings, audit);
  const openEphemeral = () => {
    const ephemeralState = openDatabase(":memory:", stateMigrations, { title: "the state of emulation" });
    parts.defer(() => ephemeralState.close());
    return openRunStore(ephemeralState, { clock, unknownConversations: "make" });
  };
  const changes = createChanges();
  store.onChange(() => changes.note("settings"));
  const scheduleRecords = await openScheduleRecords(
    state.records ? { storage: state.records.schedules, clock } : { paths, clock },
  );
  parts.defer(() => scheduleRecords.close());
  const storage = await openStorage({
    ...options,
    paths,
    store,
    uses,
    records: state.records,
    remote: state.files,
    changes,
    clock,
    warn,
  });
  parts.defer(() => storage.close());
  return {
    logger,
    paths,
    clock,
    warn,
    audit,
    store,
    state,
    changes,
    scheduleRecords,
    persistent: withFeed(state.runs),
    ephemeral: withFeed(runStoreWhenUsed(openEphemeral)),
    storage,
  };
}

function withFeed(store: RunStore): RunStorage {
  return { store, feed: createRunFeed(store) };
}
