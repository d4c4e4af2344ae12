import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { join } from "node:path";
import { createCurator } from "@metahuman/agents/curator/curator";
import { openStaging } from "@metahuman/agents/curator/staging";
import { createLearner } from "@metahuman/agents/learner/learner";
import { createConversationSummaries } from "@metahuman/agents/operator/loop/conversation-context";
import { createCritic } from "@metahuman/agents/operator/answer/critic";
import { createBuiltInAnswerWriter } from "@metahuman/agents/operator/answer/built-in-answer-writer";
import { createOperator } from "@metahuman/agents/operator/operator";
import { createModelComposer } from "@metahuman/agents/operator/composer";
import { createModelAnswerWriter } from "@metahuman/agents/operator/answer/model-answer-writer";
import {
  choosePlanner,
  type Choosing,
  modelPlanner,
} from "@metahuman/agents/operator/planners/choose-planner";
import { createFindRecipe } from "@metahuman/agents/operator/planners/replay/find-recipe";
import { createModelSummarizer } from "@metahuman/agents/operator/loop/summarizer";
import { createVerifier, skillShapes } from "@metahuman/agents/verifier/verifier";
import { regionOf } from "@metahuman/core/contract/region";
import { openAgentCopies } from "@metahuman/core/agents/agent-copies";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { type OpenedFunctions, openFunctions } from "@metahuman/core/functions/open-functions";
import { openMemoryUseTable } from "@metahuman/core/memory/evolution/memory-use-table";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openProfileStore } from "@metahuman/core/profiles/open-profile-store";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunCopies } from "@metahuman/core/runs/run-copies";
import { writeRunDump } from "@metahuman/core/runs/run-dump";
import { createProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import { openExternalPorts } from "@metahuman/sandbox/external-ports";
import { installedSkills } from "@metahuman/skills/installed";
import { createArchiveView } from "./archive-view.ts";
import { createChanges } from "./changes.ts";
import { codeChecks, codeInspector } from "./code-checks.ts";
import { createContextBuilder } from "./context-sources.ts";
import { effectiveFunctionSettings } from "@metahuman/core/contract/function-settings";
import { createFunctionApprovals } from "./function-approvals.ts";
import { createFunctionExchange } from "./function-exchange.ts";
import { createFunctionUpkeep } from "./function-upkeep.ts";
import { offeredSkills } from "./offered-skills.ts";
import { openAudit } from "./open-audit.ts";
import { openStorage } from "./open-storage.ts";
import type { OpenedProfile, ProfileOptions } from "./profile-options.ts";
import { openState, withoutRuns } from "./state-database.ts";
import { createAgentProposals } from "./agent-proposals.ts";
import { version } from "./version.ts";
import { createProfileAgents } from "./profile-agents.ts";
import { createApprovals, createConversations, createRunReader } from "./run-readers.ts";
import type { RunStorage } from "@metahuman/agents/operator/loop/run-scheduler";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import { createRunFeed } from "@metahuman/core/runs/run-feed";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { homePaths } from "@metahuman/core/paths/data-root";
import { checkRoots } from "@metahuman/core/workspace/check-roots";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import { createBuiltInPlanner } from "@metahuman/agents/operator/planners/built-in";
import { createConversationPlanner } from "@metahuman/agents/operator/planners/conversation";
import { createCatalogSource } from "@metahuman/agents/operator/planners/model/catalog";
import { noModelConversation } from "@metahuman/agents/operator/planners/no-model-conversation";
import { createStructuredPlanner } from "@metahuman/agents/operator/planners/structured";
import { createToolCallingPlanner } from "@metahuman/agents/operator/planners/tool-calling";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { ModelRouter } from "@metahuman/models/router";
import type { IndexControl as MemoryIndexControl } from "@metahuman/core/memory/index/index-control";
import type { IndexControl } from "./brain.ts";

const skillsById = new Map(installedSkills.map((skill) => [skill.id, skill]));

/** Opens one person's space with all its parts. */
export async function openProfile(options: ProfileOptions): Promise<OpenedProfile> {
  const { home, username, env, config, embedder, router, adoptsQueuedRuns } = options;
  const logger = options.logger.child({ profile: username });
  const paths = profilePaths(home, username);
  const clock = () => new Date();
  const warn = (message: string, cause?: unknown) => logger.warn({ err: cause }, message);

  const audit = await openAudit({
    home,
    username,
    key: options.auditKey,
    config,
    clock,
    logger,
    anchors: adoptsQueuedRuns,
  });
  const store = auditedStore(await openProfileStore({ home, username }), audit);
  const openedState = openState({
    path: paths.stateDatabase,
    audit,
    actor: username,
    clock,
    onWarning: warn,
    damage: options.stateDamage,
    backsUp: adoptsQueuedRuns,
  });
  const { database: state, problem: stateProblem } = openedState;
  const passing = openDatabase(":memory:", stateMigrations, { title: "the state of what is not kept" });
  const persistent = openRunStorage(state, "refuse");
  const ephemeral = openRunStorage(passing, "make");
  const uses = openMemoryUseTable(state);
  const changes = createChanges();
  store.onChange(() => changes.note("settings"));
  const storage = await openStorage({ ...options, paths, store, uses, changes, clock, warn });
  const { files, folders, archive, opened, memory, tasks, quota } = storage;
  const offered = () => offeredSkills(config.current());
  const planning = createPlanning(router, config, () => offered().cards());
  const composer = createModelComposer(router, () => config.current().operator.models.responseModel);
  const functionSettings = () => config.current().operator.functions;
  const effectiveSettings = async () =>
    effectiveFunctionSettings(functionSettings(), (await store.settings()).functions ?? {});
  const procedural = await openFunctions({
    userId: username,
    paths,
    state,
    embedder,
    embedderChoice: options.chosenEmbedder,
    verifier: createVerifier({
      skill: (id) => skillsById.get(id),
      embedder,
      code: codeChecks(options.code, functionSettings, (agentId) => procedural.functions.of(agentId)),
      skills: () => offered().skills,
      modelPlanner: () => modelPlanner(planning),
      region: async () => regionOf(await store.settings()),
      composer,
      clock,
    }),
    settings: effectiveSettings,
    reverifies: adoptsQueuedRuns,
    audit: (event) => audit.append(event),
    onChange: () => changes.note("functions"),
    clock,
    onWarning: warn,
  });
  const { functions } = procedural;
  const does = (skill: string) => skillsById.get(skill)?.summary ?? skill;
  const staging = openStaging(join(paths.memory.functions, "staging"));
  const { index } = opened;

  const transfer = createProfileTransfer({
    username,
    version: version(),
    paths,
    store,
    memory,
    tasks,
    archive,
    uses,
    evidence: procedural.evidence,
    runs: openRunCopies(state, clock),
    agents: openAgentCopies(state),
    index,
    functions: procedural,
    audit,
    onRestored() {
      for (const kind of ["conversations", "functions", "grants"] as const) changes.note(kind);
    },
    quota,
    limits: () => ({ maxImportMs: config.current().storage.import.maxDurationMs }),
    clock,
  });
  // The audit gets what a killed import left, also where nobody looks at it.
  const cutOff = await transfer.cutOff();
  if (cutOff) warn(cutOff.message);
  const agents = createProfileAgents({
    username,
    files,
    opened,
    router,
    state,
    config,
    store,
    audit,
    clock,
    onProblem: warn,
    keepsSchedules: adoptsQueuedRuns && stateProblem === undefined,
  });
  const findRecipe = createFindRecipe({
    functions,
    skills: () => offered().skills,
    prefersFunctions: async () => (await effectiveSettings()).prefer,
    canCompose: () => composer.isAvailable(),
    onProblem: warn,
  });
  const operator = createOperator({
    username,
    persistent,
    ephemeral,
    get skills() {
      return offered().skills;
    },
    get cards() {
      return offered().cards();
    },
    ports: {
      files,
      archive,
      tasks,
      memory,
      agents,
      ...openExternalPorts({ files, folders, env, config: () => config.current().skills }),
      catalog: () => offered().cards(),
    },
    critic: createCritic(router, () => config.current().operator.models.planningModel),
    wording: createModelAnswerWriter(
      router,
      createBuiltInAnswerWriter(installedSkills),
      () => config.current().operator.models.responseModel,
    ),
    composer,
    summarizerFor: createModelSummarizer(router),
    conversationSummaries: createConversationSummaries(router, logger),
    code: options.code,
    functionsOf: functions.of,
    curatorFor: (state, powers) =>
      createCurator({
        ...powers,
        router,
        staging,
        embedder,
        asked: { now: state.requestedAt, timeZone: state.timeZone, locale: state.locale },
        skills: state.skills,
        onModelCall: state.onModelCall,
        onWarning: state.onWarning,
      }),
    learner: createLearner({ memory, router, audit, logger }),
    choosePlanner: (choice) =>
      choosePlanner(choice, {
        ...planning,
        skills: offered().skills,
        findRecipe,
        now: clock,
      }),
    buildContext: createContextBuilder({
      memory,
      tasks,
      store,
      functionsOf: functions.of,
      config: () => config.current(),
    }),
    persona: () => store.persona(),
    settings: () => store.settings(),
    dumpRun: (dump) => writeRunDump(join(paths.root, dump.config.logging.logDirectory), dump),
    memory,
    config,
    audit,
    logger,
    clock,
    adopt: adoptsQueuedRuns && stateProblem === undefined,
  });
  await operator.open();

  return {
    profile: {
      username,
      store,
      memory,
      tasks,
      files,
      functions,
      functionExchange: createFunctionExchange({
        functions: functions.of(EVERY_AGENT),
        shapes: skillShapes((id) => skillsById.get(id)),
        clock,
      }),
      functionUpkeep: createFunctionUpkeep({
        opened: procedural,
        root: paths.memory.functions,
        runs: persistent.store,
        clock,
      }),
      archive: createArchiveView({ files: archive, memory, tasks, functions: procedural.archive, username }),
      index: createProfileIndex({ memory: index, functions: procedural }),
      operator: stateProblem ? withoutRuns(operator, stateProblem) : operator,
      runs: createRunReader(operator, persistent),
      conversations: createConversations(persistent, ephemeral, () => changes.note("conversations")),
      approvals: createApprovals(persistent, {
        audit,
        actor: username,
        onRevoked: () => changes.note("grants"),
      }),
      functionSettings: effectiveSettings,
      functionApprovals: createFunctionApprovals(functions.of(EVERY_AGENT)),
      audit,
      agents,
      transfer,
      state: openedState.control,
      quota,
      inspectCode: codeInspector(options.code, functions.of),
      changes: changes.counts,
      thoughts: createAgentProposals({ memory, functions: functions.of(), does, audit, actor: username }),
    },
    isOutdated: () => openedState.isOutdated(),
    stateDamage: () => openedState.foundDamage(),
    async close(graceMs) {
      // What is damaged may fail to close in order; the rest is closed all the same.
      const [agentsEnded, operatorEnded] = await Promise.allSettled([
        agents.close(),
        operator.close(graceMs),
      ]);
      for (const ended of [agentsEnded, operatorEnded])
        if (ended.status === "rejected") warn("the profile could not be closed in order", ended.reason);
      transfer.close();
      await storage.close();
      await procedural.close();
      await audit.close();
      store.close();
      await openedState.close();
      passing.close();
    },
  };
}

/** The runs of one database, and those who watch them. */
function openRunStorage(database: Database, unknownConversations: "refuse" | "make"): RunStorage {
  const store = openRunStore(database, { clock: () => new Date(), unknownConversations });
  return { store, feed: createRunFeed(store) };
}

type Roots = ProfileSettings["workspaceRoots"];

/**
 * Whether folders may be opened to an operator besides those that are. Throws `InvalidArgsError` for one that is not
 * there, is no folder, or belongs to the system or to a profile. What was opened before may be away for a while.
 */
export async function checkOpenedFolders(home: string, before: Roots, after: Roots): Promise<void> {
  const opened = Object.entries(after).filter(([name, path]) => before[name] !== path);
  await checkRoots(Object.fromEntries(opened), [homePaths(home).profiles]);
}

/** The same store, with a line in the audit for every change of who somebody is and what their operator may do. */
function auditedStore(store: ProfileStore, audit: AuditLog): ProfileStore {
  const actor = store.username;
  return {
    ...store,
    async changeSettings(edit) {
      const before = await store.settings();
      const after = await store.changeSettings(edit);
      await audit.append({ event: "settings_changed", actor, details: changesBetween(before, after) });
      return after;
    },
    async changePersona(edit) {
      const before = await store.persona();
      const after = await store.changePersona(edit);
      await audit.append({ event: "persona_changed", actor, details: changesBetween(before, after) });
      return after;
    },
  };
}

/** The fields that differ, as they were and as they are. */
function changesBetween(before: object, after: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before));
  const fields = new Map<string, unknown>(Object.entries(after));
  const changed = [...fields].filter(([field, to]) => JSON.stringify(old.get(field)) !== JSON.stringify(to));
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: old.get(field), to }]));
}

/** Every planner of a profile, and what is needed to choose among them but for the run's own part. */
function createPlanning(
  router: ModelRouter,
  config: ConfigSource,
  cards: () => readonly SkillCard[],
): Pick<Choosing, "planners" | "router" | "config" | "flags"> {
  const operator = () => config.current().operator;
  const catalog = createCatalogSource({ cards, settings: () => operator().performance });
  const models = { router, config: operator, catalog };
  return {
    router,
    config: operator,
    flags: async () => (await config.refresh()).runtime.operator,
    planners: {
      builtIn: createBuiltInPlanner(),
      structured: createStructuredPlanner(models),
      toolCalling: createToolCallingPlanner(models),
      conversation: createConversationPlanner(router, () => operator().models.responseModel),
      noModelConversation,
    },
  };
}

/** The search indexes of a profile, memories and functions, as the one thing that people know. */
function createProfileIndex(parts: {
  memory: MemoryIndexControl;
  functions: Pick<OpenedFunctions, "rebuild">;
}): IndexControl {
  let functionsAreRebuilt = false;

  async function status() {
    const { rebuilding, ...rest } = await parts.memory.status();
    return { ...rest, rebuilding: rebuilding || functionsAreRebuilt };
  }

  function rebuildFunctions(): void {
    if (functionsAreRebuilt) return;
    functionsAreRebuilt = true;
    void parts.functions.rebuild().finally(() => {
      functionsAreRebuilt = false;
    });
  }

  return {
    status,
    async rebuild({ excludeFunctions = false } = {}) {
      if (!excludeFunctions) rebuildFunctions();
      await parts.memory.rebuild();
      return status();
    },
  };
}
