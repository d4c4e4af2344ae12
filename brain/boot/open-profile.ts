import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { createModelComposer } from "@metahuman/agents/operator/composer";
import { createVerifier, skillShapes } from "@metahuman/agents/verifier/verifier";
import { regionOf } from "@metahuman/core/contract/region";
import { openDatabase } from "@metahuman/core/database/open-database";
import { type OpenedFunctions, openFunctions } from "@metahuman/core/functions/open-functions";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createRecordExport } from "@metahuman/core/transfer/record-export";
import { openStoredFiles } from "@metahuman/core/transfer/stored-files";
import { createProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import { createArchiveView } from "./archive-view.ts";
import { createChanges } from "./changes.ts";
import { codeChecks, codeInspector } from "./code-checks.ts";
import { effectiveFunctionSettings } from "@metahuman/core/contract/function-settings";
import { createFileManager } from "./file-manager.ts";
import {
  createFunctionExchange,
  createFunctionUpkeep,
  createFunctionApprovals,
} from "./profile-functions.ts";
import { offeredSkills } from "./offered-skills.ts";
import { auditedStore } from "./start-audit.ts";
import { openStorage } from "./open-storage.ts";
import type { OpenedProfile, ProfileOptions } from "./profile-options.ts";
import { withoutRuns } from "./state-database.ts";
import { createAgentProposals } from "./agent-proposals.ts";
import { version } from "./version.ts";
import { openProfileAgents } from "./profile-agents.ts";
import { createProfileScheduler, openSchedules, withReminders } from "./profile-schedules.ts";
import { createFindRecipe } from "@metahuman/agents/operator/planners/replay/find-recipe";
import type { Scheduler } from "@metahuman/agents/scheduler/scheduler";
import { openScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import { createApprovals, createConversations, createRunReader } from "./run-readers.ts";
import type { RunStorage } from "@metahuman/agents/operator/loop/run-scheduler";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { createRunFeed } from "@metahuman/core/runs/run-feed";
import type { IndexControl as MemoryIndexControl } from "@metahuman/core/memory/index/index-control";
import type { IndexControl } from "./brain.ts";
import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { Composer } from "@metahuman/agents/operator/composer";
import { modelPlanner } from "@metahuman/agents/operator/planners/choose-planner";
import type { ProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import { createPlanning, createProfileOperator, type Planning, skillById } from "./profile-operator.ts";
import { taskInWords } from "./task-in-words.ts";

/** Opens a profile: its stores, functions, background agents, schedules and operator. */
export async function openProfile(options: ProfileOptions): Promise<OpenedProfile> {
  const opened = await openStores(options);
  // The schedules need the functions, which need the tasks: they are joined once both are open.
  const reminders: { of?: Pick<SchedulesPort, "updateRemindersOf" | "endRemindersOf"> } = {};
  const remindedTasks = withReminders(opened.storage.tasks, () => reminders.of);
  const stores = { ...opened, storage: { ...opened.storage, tasks: remindedTasks } };
  const planning = createPlanning(options.router, options.config);
  const composer = createModelComposer(
    options.router,
    () => options.config.current().operator.models.responseModel,
  );
  const functionSettings = async () =>
    effectiveFunctionSettings(
      options.config.current().operator.functions,
      (await stores.store.settings()).functions ?? {},
    );
  const openedFunctions = await openProfileFunctions(options, stores, {
    planning,
    composer,
    settings: functionSettings,
  });
  const transfer = await openTransfer(options, stores, openedFunctions);
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
    expectChanges: () => stores.state.expectChanges(),
    isOutdated: () => stores.state.isOutdated(),
    stateDamage: () => stores.state.foundDamage(),
    async close(graceMs) {
      // If closing one part fails, for example because of a damaged database, the others are still closed.
      const closed = await Promise.allSettled([
        agents.close(),
        closeInOrder(scheduler, () => operator.close(graceMs)),
      ]);
      for (const result of closed)
        if (result.status === "rejected") stores.warn("closing the profile failed", result.reason);
      transfer.close();
      openedSchedules.close();
      await stores.storage.close();
      await openedFunctions.close();
      await stores.close();
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
    functions: OpenedFunctions["functions"];
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
  });
  await operator.open();
  const scheduler = createProfileScheduler(openedSchedules, {
    ...scheduleParts,
    openedAgents,
    operator,
    runs: persistent.store,
    tasks,
    router,
    onProblem: warn,
    onNextChanged: options.onNextMoment,
    keepsTime: isLongLived,
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
    openedFunctions: OpenedFunctions;
    functionSettings: () => Promise<OperatorConfig["functions"]>;
    transfer: ProfileTransfer;
  },
): OpenedProfile["profile"] {
  const { username } = options;
  const { files, archive, memory, tasks, quota } = storage;
  const { functions } = openedFunctions;
  return {
    username,
    store,
    memory,
    tasks,
    taskInWords: async (words) =>
      taskInWords(words, { now: clock(), timeZone: regionOf(await store.settings()).timeZone }),
    files,
    fileManager: createFileManager({ files, archive, store }),
    functions,
    functionExchange: createFunctionExchange({
      functions: functions.of(EVERY_AGENT),
      shapes: skillShapes(skillById),
      clock,
    }),
    functionUpkeep: createFunctionUpkeep({
      opened: openedFunctions,
      root: (state.records?.paths ?? paths).memory.functions,
      runs: persistent.store,
      clock,
    }),
    archive: createArchiveView({
      files: archive,
      memory,
      tasks,
      functions: openedFunctions.archive,
      schedules,
      username,
    }),
    index: createProfileIndex({ memory: storage.opened.index, functions: openedFunctions }),
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
    proposals,
  };
}

/** Closes the scheduler first: occurrences are left as they stand, for the next process to take over. */
async function closeInOrder(scheduler: Scheduler, closeOperator: () => Promise<void>): Promise<void> {
  try {
    await scheduler.close();
  } finally {
    await closeOperator();
  }
}

/** Opens all stores of a profile except its functions. */
async function openStores(options: ProfileOptions) {
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
  const { audit, memoryUses: uses } = state;
  const store = auditedStore(state.settings, audit);
  const ephemeralState = openDatabase(":memory:", stateMigrations, { title: "the state of emulation" });
  const changes = createChanges();
  store.onChange(() => changes.note("settings"));
  return {
    logger,
    paths,
    clock,
    warn,
    audit,
    store,
    state,
    changes,
    scheduleRecords: await openScheduleRecords(
      state.records ? { storage: state.records.schedules, clock } : { paths, clock },
    ),
    persistent: withFeed(state.runs),
    ephemeral: withFeed(openRunStore(ephemeralState, { clock, unknownConversations: "make" })),
    storage: await openStorage({
      ...options,
      paths,
      store,
      uses,
      records: state.records,
      remote: state.files,
      changes,
      clock,
      warn,
    }),
    async close() {
      await state.close();
      ephemeralState.close();
    },
  };
}

type ProfileStores = Awaited<ReturnType<typeof openStores>>;

async function openProfileFunctions(
  { username, config, embedder, chosenEmbedder, code, adoptsQueuedRuns }: ProfileOptions,
  { paths, state, store, audit, changes, clock, warn }: ProfileStores,
  {
    planning,
    composer,
    settings,
  }: { planning: Planning; composer: Composer; settings: () => Promise<OperatorConfig["functions"]> },
): Promise<OpenedFunctions> {
  const skills = () => offeredSkills(config.current()).skills;
  const opened: OpenedFunctions = await openFunctions({
    userId: username,
    paths: state.records?.paths ?? paths,
    ...(state.records && { storage: state.records.functions }),
    evidence: state.evidence,
    embedder,
    embedderChoice: chosenEmbedder,
    verifier: createVerifier({
      skill: skillById,
      embedder,
      code: codeChecks(
        code,
        () => config.current().operator.functions,
        (agentId) => opened.functions.of(agentId),
      ),
      skills,
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
  functions: OpenedFunctions,
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
    evidence: functions.evidence,
    runs: state.runCopies,
    agents: state.agentCopies,
    records: state.records && createRecordExport(state.records.copies),
    index: storage.opened.index,
    functions,
    audit,
    onRestored() {
      for (const kind of ["conversations", "functions", "grants", "schedules"] as const) changes.note(kind);
    },
    quota: storage.quota,
    limits: () => ({ maxImportMs: config.current().storage.import.maxDurationMs }),
    clock,
  });
  const cutOff = await transfer.cutOff();
  if (cutOff) warn(cutOff.message);
  return transfer;
}

function withFeed(store: RunStore): RunStorage {
  return { store, feed: createRunFeed(store) };
}

/** Combines the memory index and the function index of a profile. */
function createProfileIndex({
  memory,
  functions,
}: {
  memory: MemoryIndexControl;
  functions: Pick<OpenedFunctions, "rebuild">;
}): IndexControl {
  let functionsAreRebuilt = false;

  async function status() {
    const { rebuilding, ...rest } = await memory.status();
    return { ...rest, rebuilding: rebuilding || functionsAreRebuilt };
  }

  function rebuildFunctions(): void {
    if (functionsAreRebuilt) return;
    functionsAreRebuilt = true;
    void functions.rebuild().finally(() => {
      functionsAreRebuilt = false;
    });
  }

  return {
    status,
    async rebuild({ excludeFunctions = false } = {}) {
      if (!excludeFunctions) rebuildFunctions();
      await memory.rebuild();
      return status();
    },
  };
}
