import { AgentName } from "@metahuman/core/contract/agents";
import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { type Composer, createModelComposer } from "@metahuman/agents/operator/composer";
import { createVerifier } from "@metahuman/agents/verifier/verifier";
import { regionOf } from "@metahuman/core/contract/region";
import {
  type OpenedFunctions,
  openFunctions,
  openFunctionsWhenUsed,
  type UsedFunctions,
} from "@metahuman/core/functions/open-functions";
import { createRecordExport } from "@metahuman/core/transfer/record-export";
import { openStoredFiles } from "@metahuman/core/transfer/stored-files";
import { createProfileTransfer, type ProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import { createArchiveView } from "./archive-view.ts";
import { codeChecks, codeInspector } from "./code-checks.ts";
import { effectiveFunctionSettings } from "@metahuman/core/contract/function-settings";
import { createFileManager } from "./file-manager.ts";
import {
  createFunctionExchange,
  createFunctionUpkeep,
  createFunctionApprovals,
} from "./profile-functions.ts";
import { offeredSkills } from "./offered-skills.ts";
import { openStores, type ProfileStores } from "./profile-stores.ts";
import type { OpenedProfile, ProfileOptions } from "./profile-options.ts";
import { withoutRuns } from "./state-database.ts";
import { createAgentProposals } from "./agent-proposals.ts";
import { version } from "./version.ts";
import { openProfileAgents } from "./profile-agents.ts";
import {
  createProfileScheduler,
  type OpenedSchedules,
  openSchedules,
  withReminders,
} from "./profile-schedules.ts";
import { createFindRecipe } from "@metahuman/agents/operator/planners/replay/find-recipe";
import type { Scheduler } from "@metahuman/agents/scheduler/scheduler";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import { createApprovals, createConversations, createRunReader } from "./run-readers.ts";
import type { UsedMemory } from "@metahuman/core/memory/memory-when-used";
import type { IndexControl } from "./brain.ts";
import type { OperatorConfig } from "@metahuman/core/contract/config";
import { modelPlanner } from "@metahuman/agents/operator/planners/choose-planner";
import { createPlanning, createProfileOperator, type Planning, skillById } from "./profile-operator.ts";
import { taskInWords } from "./task-in-words.ts";

/** Opens a profile: its stores, functions, background agents, schedules and operator. */
export async function openProfile(options: ProfileOptions): Promise<OpenedProfile> {
  const parts = new AsyncDisposableStack();
  try {
    return await openParts(options, parts);
  } catch (error) {
    // What was opened would keep working, such as copying records, for a profile that nobody can use.
    await parts
      .disposeAsync()
      .catch((cause: unknown) =>
        options.logger.warn(
          { err: cause, profile: options.username },
          "a profile could not be closed in order",
        ),
      );
    throw error;
  }
}

/** `parts` receives what is closed with the profile, and at once if a later part cannot be opened. */
async function openParts(options: ProfileOptions, parts: AsyncDisposableStack): Promise<OpenedProfile> {
  const opened = await openStores(options, parts);
  // The schedules need the functions, which need the tasks: they are joined once both are open.
  const reminders: { of?: Pick<SchedulesPort, "updateRemindersOf" | "endRemindersOf"> } = {};
  const remindedTasks = withReminders(opened.storage.tasks, () => reminders.of);
  const stores = { ...opened, storage: { ...opened.storage, tasks: remindedTasks } };
  const planning = createPlanning(options);
  const composer = createModelComposer(
    options.router,
    () => options.config.current().operator.models.responseModel,
  );
  const functionSettings = async () =>
    effectiveFunctionSettings(
      options.config.current().operator.functions,
      (await stores.store.settings()).functions ?? {},
    );
  const openFunctionsNow = () =>
    openProfileFunctions(options, stores, { planning, composer, settings: functionSettings });
  const openedFunctions: UsedFunctions = stores.state.records
    ? openFunctionsWhenUsed(openFunctionsNow)
    : await openFunctionsNow();
  parts.defer(() => openedFunctions.close());
  const transfer = await openTransfer(options, stores, openedFunctions);
  parts.defer(() => transfer.close());
  const services = await openServices(options, stores, {
    functions: openedFunctions.functions,
    functionSettings,
    planning,
    composer,
    onSchedules: (schedules) => (reminders.of = schedules),
  });
  const { agents, operator, scheduler, openedSchedules } = services;

  return {
    profile: createProfileView(options, stores, { ...services, openedFunctions, functionSettings, transfer }),
    expectChanges() {
      stores.state.expectChanges({ sinceRequest: true });
      scheduler.noteUse();
    },
    isOutdated: () => stores.state.isOutdated(),
    stateDamage: () => stores.state.foundDamage(),
    // Agents that are due start with the first look of the scheduler.
    isBusy: async () => scheduler.isWaiting() || (await isBusy(stores, openedSchedules)),
    async close(graceMs) {
      // If closing one part fails, for example because of a damaged database, the others are still closed.
      const closed = await Promise.allSettled([
        agents.close(),
        closeInOrder(scheduler, () => operator.close(graceMs)),
      ]);
      for (const result of closed)
        if (result.status === "rejected") stores.warn("closing the profile failed", result.reason);
      await parts.disposeAsync();
    },
  };
}

/** Opens what works on its own: the background agents, the schedules and the operator. */
async function openServices(
  options: ProfileOptions,
  stores: ProfileStores,
  {
    functions,
    functionSettings,
    planning,
    composer,
    onSchedules,
  }: {
    functions: UsedFunctions["functions"];
    functionSettings: () => Promise<OperatorConfig["functions"]>;
    planning: Planning;
    composer: Composer;
    /** Called before the operator starts. */
    onSchedules: (schedules: SchedulesPort) => void;
  },
) {
  const { username, config, router, adoptsQueuedRuns } = options;
  const { clock, warn, audit, store, state, changes, persistent, storage } = stores;
  const { files, memory, tasks } = storage;
  const isLongLived = adoptsQueuedRuns && state.problem === undefined;
  const proposals = createAgentProposals({
    memory,
    functions: functions.of(EVERY_AGENT),
    summaryOf: (skill) => skillById(skill)?.summary ?? skill,
    learnFrom: (runId, actor) => operator.learnFrom(runId, actor),
    audit,
    actor: username,
  });
  const findRecipe = createFindRecipe({
    functions,
    skills: () => offeredSkills(config.current()).skills,
    prefersFunctions: async () => (await functionSettings()).prefer,
    canCompose: () => composer.isAvailable(),
    onProblem: warn,
  });
  const scheduleParts = {
    username,
    state,
    config,
    store,
    functions,
    findRecipe,
    audit,
    changes,
    clock,
    channelSealer: options.channelSealer,
    records: stores.scheduleRecords,
  };
  const openedSchedules = await openSchedules(scheduleParts);
  const { schedules } = openedSchedules;
  onSchedules(schedules);
  const openedAgents = openProfileAgents({
    username,
    files,
    opened: storage.opened,
    router,
    agentStore: state.agents,
    config,
    store,
    ledger: openedSchedules.ledger,
    agentSpreadMs: state.agentSpreadMs,
    audit,
    clock,
    onProblem: warn,
  });
  const { agents } = openedAgents;
  const operator = createProfileOperator(options, {
    ...stores,
    planning,
    composer,
    agents,
    functions,
    patterns: { makeFunction: proposals.makeFunctionOf },
    findRecipe,
    schedules,
    watchedPages: openedSchedules.watchedPages,
    expectChanges: () => stores.state.expectChanges(),
    onConversationTitled: () => stores.changes.note("conversations"),
    adopt: isLongLived,
    mayHoldWaitingRuns: () => state.mayHoldWaitingRuns(),
    mayHoldRuns: () => state.mayHoldRuns(),
  });
  try {
    await operator.open();
  } catch (error) {
    await operator.close(0);
    throw error;
  }
  const scheduler = createProfileScheduler(openedSchedules, {
    ...scheduleParts,
    openedAgents,
    operator,
    runs: persistent.store,
    tasks,
    router,
    onProblem: warn,
    onNextChanged: options.onNextMoment,
    runsTimers: isLongLived,
  });
  return { agents, proposals, openedSchedules, operator, scheduler };
}

/** The profile as the page, the API and the command line use it. */
function createProfileView(
  options: ProfileOptions,
  { paths, clock, audit, store, state, changes, persistent, ephemeral, storage }: ProfileStores,
  {
    agents,
    proposals,
    openedSchedules: { schedules, notices, channels },
    operator,
    scheduler,
    openedFunctions,
    functionSettings,
    transfer,
  }: Awaited<ReturnType<typeof openServices>> & {
    openedFunctions: UsedFunctions;
    functionSettings: () => Promise<OperatorConfig["functions"]>;
    transfer: ProfileTransfer;
  },
): OpenedProfile["profile"] {
  const { username } = options;
  const { files, archive, memory, tasks, quota } = storage;
  const { functions } = openedFunctions;
  const noteFiles = (): void => changes.note("files");
  return {
    username,
    store,
    memory,
    tasks,
    taskInWords: async (words) =>
      taskInWords(words, { now: clock(), timeZone: regionOf(await store.settings()).timeZone }),
    files,
    fileManager: createFileManager({ files, archive, store, onChange: noteFiles }),
    functions,
    functionExchange: createFunctionExchange({
      functions: functions.of(EVERY_AGENT),
      skill: skillById,
      clock,
    }),
    functionUpkeep: createFunctionUpkeep({
      functions,
      evidence: state.evidence,
      root: (state.records?.paths ?? paths).memory.functions,
      runs: persistent.store,
      clock,
    }),
    archive: createArchiveView({
      archive,
      files,
      memory,
      tasks,
      functions: openedFunctions.archive,
      schedules,
      username,
      onFileRestored: noteFiles,
    }),
    index: createProfileIndex({ memory: storage.opened, functions: openedFunctions }),
    operator: state.problem ? withoutRuns(operator, state.problem) : operator,
    runs: createRunReader(operator, persistent),
    conversations: createConversations(persistent, ephemeral, () => changes.note("conversations")),
    approvals: createApprovals(persistent, {
      audit,
      actor: username,
      onRevoked: () => changes.note("grants"),
    }),
    functionSettings,
    functionApprovals: createFunctionApprovals(functions.of(EVERY_AGENT)),
    audit,
    agents,
    schedules,
    notices,
    channels: channels.control(notices),
    scheduler,
    transfer,
    state: state.control,
    quota,
    inspectCode: codeInspector(options.code, functions.of),
    changes: changes.counts,
    newChangeCheck: () => state.newChangeCheck(),
    proposals,
  };
}

/** How many runs are checked for one that is working; others wait for a person. */
const UNENDED_READ = 500;
/** How long before a schedule or a delivery is due the profile stays open, in milliseconds. */
const DUE_SOON_MS = 60_000;

async function isBusy(
  { state, persistent, ephemeral, clock }: ProfileStores,
  { ledger, notices }: Pick<OpenedSchedules, "ledger" | "notices">,
): Promise<boolean> {
  if ((await ephemeral.store.conversations({ limit: 1 })).total > 0) return true;
  // Runs that cannot be read do not continue either.
  if (state.problem !== undefined) return false;
  const soon = new Date(clock().getTime() + DUE_SOON_MS);
  if (!state.mayHoldRuns() && !state.mayBeDueUntil(soon)) return false;
  const runs = await persistent.store.unfinishedRuns(UNENDED_READ);
  if (runs.some(({ status }) => status === "queued" || status === "running")) return true;
  if ((await ledger.running()).length > 0) return true;
  for (const agent of AgentName.options) if (await state.agents.current(agent)) return true;
  const next = [await ledger.nextAt({ onlySchedules: true }), await notices.nextDelivery()];
  return next.some((at) => at !== undefined && Date.parse(at) <= soon.getTime());
}

/** Closes the scheduler first: occurrences stay unchanged, for the next process to take over. */
async function closeInOrder(scheduler: Scheduler, closeOperator: () => Promise<void>): Promise<void> {
  try {
    await scheduler.close();
  } finally {
    await closeOperator();
  }
}

async function openProfileFunctions(
  { username, config, embedder, chosenEmbedder, code, adoptsQueuedRuns }: ProfileOptions,
  { paths, state, store, audit, changes, clock, warn }: ProfileStores,
  {
    planning,
    composer,
    settings,
  }: { planning: Planning; composer: Composer; settings: () => Promise<OperatorConfig["functions"]> },
): Promise<OpenedFunctions> {
  const opened: OpenedFunctions = await openFunctions({
    userId: username,
    paths: state.records?.paths ?? paths,
    ...(state.records && { storage: state.records.functions }),
    evidence: state.evidence,
    embedder,
    embedderChoice: chosenEmbedder,
    summaryOf: (skill) => skillById(skill)?.summary,
    verifier: createVerifier({
      skill: skillById,
      embedder,
      code: codeChecks(
        code,
        () => config.current().operator.functions,
        (agentId) => opened.functions.of(agentId),
      ),
      skills: () => offeredSkills(config.current()).skills,
      modelPlanner: () => modelPlanner(planning),
      region: async () => regionOf(await store.settings()),
      composer,
      clock,
    }),
    settings,
    reverifies: adoptsQueuedRuns,
    audit: (event) => audit.append(event),
    onChange: () => changes.note("functions"),
    clock,
    onWarning: warn,
  });
  return opened;
}

/** Opens the export and import of the profile, and reports an import that a crash interrupted. */
async function openTransfer(
  { username, config }: ProfileOptions,
  { paths, state, store, audit, changes, storage, scheduleRecords, clock, warn }: ProfileStores,
  functions: Pick<UsedFunctions, "reconcile">,
): Promise<ProfileTransfer> {
  const transfer = createProfileTransfer({
    username,
    version: version(),
    paths,
    files: state.files?.stored ?? openStoredFiles(paths.root),
    store,
    memory: storage.memory,
    tasks: storage.tasks,
    schedules: scheduleRecords,
    archive: storage.archive,
    uses: state.memoryUses,
    evidence: state.evidence,
    runs: state.runCopies,
    agents: state.agentCopies,
    records: state.records && createRecordExport(state.records.copies),
    index: storage.opened.index,
    functions,
    audit,
    onRestored() {
      for (const kind of ["conversations", "functions", "grants", "schedules", "files"] as const)
        changes.note(kind);
    },
    quota: storage.quota,
    limits: () => ({ maxImportMs: config.current().storage.import.maxDurationMs }),
    clock,
  });
  const interrupted = await transfer.interrupted();
  if (interrupted) warn(interrupted.message);
  return transfer;
}

/** Combines the memory index and the function index of a profile. */
function createProfileIndex({
  memory,
  functions,
}: {
  memory: UsedMemory;
  functions: Pick<UsedFunctions, "rebuild">;
}): IndexControl {
  let functionsAreRebuilt = false;

  async function status() {
    const { rebuilding, ...rest } = await memory.index.status();
    return { ...rest, rebuilding: rebuilding || functionsAreRebuilt };
  }

  function rebuildFunctions(): void {
    if (functionsAreRebuilt) return;
    functionsAreRebuilt = true;
    void functions.rebuild().finally(() => (functionsAreRebuilt = false));
  }

  return {
    status,
    statusIfOpen: async () => (memory.isOpen() ? await status() : undefined),
    async rebuild({ excludeFunctions = false } = {}) {
      if (!excludeFunctions) rebuildFunctions();
      await memory.index.rebuild();
      return status();
    },
  };
}
