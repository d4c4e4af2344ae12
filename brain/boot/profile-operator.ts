import { join } from "node:path";
import { createCurator } from "@metahuman/agents/curator/curator";
import { openStaging } from "@metahuman/agents/curator/staging";
import { createLearner } from "@metahuman/agents/learner/learner";
import { createBuiltInAnswerWriter } from "@metahuman/agents/operator/answer/built-in-answer-writer";
import { createCritic } from "@metahuman/agents/operator/answer/critic";
import { createModelAnswerWriter } from "@metahuman/agents/operator/answer/model-answer-writer";
import type { Composer } from "@metahuman/agents/operator/composer";
import { createConversationSummaries } from "@metahuman/agents/operator/loop/conversation-context";
import { createConversationTitles } from "@metahuman/agents/operator/loop/conversation-titles";
import type { RunServices } from "@metahuman/agents/operator/loop/run-context";
import type { RunStorage } from "@metahuman/agents/operator/loop/run-scheduler";
import { createModelSummarizer } from "@metahuman/agents/operator/loop/summarizer";
import { createOperator, type OperatorService } from "@metahuman/agents/operator/operator";
import { createBuiltInPlanner } from "@metahuman/agents/operator/planners/built-in";
import { withOfferReplies } from "@metahuman/agents/operator/planners/offered-pattern";
import { choosePlanner, type PlannerDependencies } from "@metahuman/agents/operator/planners/choose-planner";
import {
  createConversationPlanner,
  createNoModelConversation,
} from "@metahuman/agents/operator/planners/conversation";
import { createCatalogSource } from "@metahuman/agents/operator/planners/model/catalog";
import type { createFindRecipe } from "@metahuman/agents/operator/planners/replay/find-recipe";
import { createChooser } from "@metahuman/agents/operator/planners/replay/choose-function";
import { loadAcceptedOffer } from "@metahuman/agents/operator/planners/replay/load-accepted-offer";
import { findWaitingChange } from "@metahuman/agents/operator/planners/replay/waiting-change";
import { createStructuredPlanner } from "@metahuman/agents/operator/planners/structured";
import { createToolCallingPlanner } from "@metahuman/agents/operator/planners/tool-calling";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import { adviceOnModels } from "@metahuman/core/contract/model-abilities";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { FunctionsOfProfile, FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { Logger } from "@metahuman/core/log/logger";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import { writeRunDump } from "@metahuman/core/runs/run-dump";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { WatchedPages } from "@metahuman/core/schedules/watched-pages";
import { openExternalPorts } from "@metahuman/sandbox/external-ports";
import type { Skill } from "@metahuman/skills/define-skill";
import { installedSkills } from "@metahuman/skills/installed";
import type { PatternsPort } from "@metahuman/skills/ports";
import type { OperatorOptions } from "@metahuman/agents/operator/operator-options";
import { buildContextPackage, type ContextSources } from "@metahuman/core/context/build-context-package";
import type { Config } from "@metahuman/core/contract/config";
import { DEFAULT_OPERATOR_NAME, type Persona } from "@metahuman/core/contract/profile";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { withoutChangesForQuestion } from "@metahuman/core/context/relevant-functions";
import { isCommonWord } from "@metahuman/core/functions/retrieval/background-words";
import { refersBack, rulesInMemory } from "@metahuman/core/context/relevant-memories";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import { createActivity } from "./activity.ts";
import { offeredSkills } from "./offered-skills.ts";
import type { openStorage } from "./open-storage.ts";
import type { ProfileOptions } from "./profile-options.ts";

const skillsById = new Map(installedSkills.map((skill) => [skill.id, skill]));

export function skillById(id: string): Skill | undefined {
  return skillsById.get(id);
}

/** The planners of a profile and their selection, without what depends on the run. */
export type Planning = Pick<PlannerDependencies, "planners" | "router" | "config" | "flags">;

export function createPlanning({
  router,
  config,
  installation,
}: Pick<ProfileOptions, "router" | "config"> & {
  installation: Pick<ProfileOptions["installation"], "hasFolders">;
}): Planning {
  const operator = () => config.current().operator;
  const catalog = createCatalogSource({
    cards: () => offeredSkills(config.current()).cards(installation),
    settings: () => operator().performance,
  });
  const models = { router, config: operator, catalog };
  const modelAdvice = async (): Promise<string> =>
    adviceOnModels(
      (await router.servers()).map(({ provider: { kind }, health: { problem } }) => ({ kind, problem })),
    );
  return {
    router,
    config: operator,
    flags: async () => (await config.refresh()).runtime.operator,
    planners: {
      builtIn: withOfferReplies(createBuiltInPlanner(modelAdvice)),
      structured: createStructuredPlanner(models),
      toolCalling: createToolCallingPlanner(models),
      conversation: createConversationPlanner(router, () => operator().models.responseModel),
      noModelConversation: createNoModelConversation(modelAdvice),
    },
  };
}

interface ProfileOperatorDependencies {
  logger: Logger;
  paths: ProfilePaths;
  clock: () => Date;
  warn: (message: string, cause?: unknown) => void;
  audit: AuditLog;
  store: ProfileStore;
  storage: Awaited<ReturnType<typeof openStorage>>;
  persistent: RunStorage;
  ephemeral: RunStorage;
  planning: Planning;
  composer: Composer;
  agents: AgentsPort;
  functions: FunctionsOfProfile;
  patterns: PatternsPort;
  findRecipe: ReturnType<typeof createFindRecipe>;
  schedules: SchedulesPort;
  watchedPages: WatchedPages;
  /** Makes the next read see the changes of other processes until now. */
  expectChanges: () => void;
  /** Called after a conversation got a title from a model. */
  onConversationTitled: () => void;
  /** Whether to claim queued runs of processes that have ended; true for a long-lived process. */
  adopt: boolean;
  /** As `ProfileState.mayHoldWaitingRuns`. */
  mayHoldWaitingRuns: () => boolean;
  /** As `ProfileState.mayHoldRuns`. */
  mayHoldRuns: () => boolean;
}

/** Creates the operator of a profile with the installed skills and the configured models. */
export function createProfileOperator(
  options: ProfileOptions,
  dependencies: ProfileOperatorDependencies,
): OperatorService {
  const { username, config, router } = options;
  const { logger, clock, audit, store, planning, functions } = dependencies;
  const { memory, tasks } = dependencies.storage;
  const offered = () => offeredSkills(config.current());
  return createOperator({
    username,
    persistent: dependencies.persistent,
    ephemeral: dependencies.ephemeral,
    get skills() {
      return offered().skills;
    },
    get cards() {
      return offered().cards(options.installation);
    },
    services: createRunServices(options, dependencies),
    critic: createCritic(router, () => config.current().operator.models.planningModel),
    conversationSummaries: createConversationSummaries(router, logger),
    conversationTitles: createConversationTitles({
      router,
      audit,
      username,
      logger,
      onTitled: dependencies.onConversationTitled,
    }),
    learner: createLearner({ memory, router, audit, logger }),
    choosePlanner: (choice) =>
      choosePlanner(choice, {
        ...planning,
        skills: offered().skills,
        findRecipe: dependencies.findRecipe,
        choosing: (candidates, next) => createChooser(candidates, next, router),
        loadAccepted: ({ agentId }, offer) => loadAcceptedOffer(functions.of(agentId), offer),
        waitingChange: async ({ agentId }, found) => {
          try {
            return await findWaitingChange(functions.of(agentId), found);
          } catch (error) {
            // A run must not fail because of a change that does not apply yet.
            dependencies.warn("proposals could not be looked up", error);
            return undefined;
          }
        },
        rulesInMemory: async (request) => {
          try {
            return await rulesInMemory(memory, request);
          } catch (error) {
            // A run must not fail because its rules cannot be found.
            dependencies.warn("rules in memory could not be looked up", error);
            return [];
          }
        },
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
    expectChanges: dependencies.expectChanges,
    dumpRun: (dump) => writeRunDump(join(dependencies.paths.root, dump.config.logging.logDirectory), dump),
    memory,
    config,
    audit,
    logger,
    clock,
    adopt: dependencies.adopt,
    mayHoldWaitingRuns: dependencies.mayHoldWaitingRuns,
    mayHoldRuns: dependencies.mayHoldRuns,
  });
}

function createRunServices(
  { config, router, embedder, env, code, installation }: ProfileOptions,
  {
    paths,
    storage,
    agents,
    composer,
    functions,
    patterns,
    schedules,
    watchedPages,
    persistent,
  }: ProfileOperatorDependencies,
): RunServices {
  const { files, folders, archive, memory, tasks } = storage;
  const staging = openStaging(join(paths.memory.functions, "staging"));
  return {
    ports: {
      files,
      archive,
      tasks,
      memory,
      agents,
      activity: createActivity(persistent.store, installedSkills, memory),
      patterns,
      schedules,
      watchedPages,
      remindOf: (task, region) => schedules.remindOf(task, region),
      ...openExternalPorts({ files, folders, env, config: () => config.current().skills }),
      catalog: () => offeredSkills(config.current()).cards(installation),
    },
    answerWriter: createModelAnswerWriter(
      router,
      createBuiltInAnswerWriter(installedSkills),
      () => config.current().operator.models.responseModel,
    ),
    composer,
    summarizerFor: createModelSummarizer(router),
    code,
    functionsOf: functions.of,
    curatorFor: (state, ports) =>
      createCurator({
        ...ports,
        router,
        staging,
        embedder,
        clock: { now: state.requestedAt, timeZone: state.timeZone, locale: state.locale },
        skills: state.skills,
        onModelCall: state.onModelCall,
        onWarning: state.onWarning,
      }),
  };
}

/** The number of recent skill calls in the context. */
const RECENT_TOOLS = 5;
/** The number of recent calls to examine. */
const LOOKED_THROUGH = 50;

interface Parts {
  memory: MemoryPort;
  tasks: TasksPort;
  store: ProfileStore;
}

/** Builds the context package of each request with the current configuration. */
function createContextBuilder(
  parts: Parts & { functionsOf: FunctionsOfProfile["of"]; config: () => Config },
): OperatorOptions["buildContext"] {
  const { functionsOf, config, ...stores } = parts;
  return ({ message, mode, conversationId, conversation, sessionId, agentId, useFunctions, signal }) => {
    const { operator, memory } = config();
    const { catalog: _catalog, observation: _observation, ...budgets } = operator.budgets;
    return buildContextPackage(message, mode, {
      sources: contextSources({
        ...stores,
        functions: useFunctions && functionsOf(agentId),
        isRelevantUse: (use) =>
          use.source.conversationId === conversationId || concernsEarlierWork(message, use.content),
      }),
      budgets,
      maxMemories: memory.contextMemories,
      conversationId,
      conversation,
      signal,
      ...(sessionId !== undefined && { sessionId }),
    });
  };
}

/** The sources of a context package. */
function contextSources(
  parts: Parts & {
    /** False if functions are disabled. */
    functions: FunctionsPort | false;
    /** Whether a tool use is shown. */
    isRelevantUse: (use: MemoryRecord) => boolean;
  },
): ContextSources {
  const { memory, tasks, store, functions, isRelevantUse } = parts;
  return {
    memory: functions ? memory : recallWithoutFunctions(memory),
    tasks,
    ...(functions && {
      functions: async (request, options) =>
        withoutChangesForQuestion(request, await functions.queryFunctions(request, options), (skill) =>
          CHANGING_SKILLS.has(skill),
        ),
    }),
    persona: () => operatorPersona(store),
    person: async () => (await store.settings()).displayName,
    recentTools: async () => {
      const { items } = await memory.list({ types: ["tool_invocation"], limit: LOOKED_THROUGH });
      // A call that made a failed one good need not be relevant itself.
      const relevant = withoutSolved(items).filter(
        (item) => isRelevantUse(item) && (functions !== false || !isAboutFunctions(item)),
      );
      // A repeated call with the same outcome adds nothing.
      const contents = new Set<string>();
      const distinct = relevant.filter(({ content }) => !contents.has(content) && contents.add(content));
      return distinct.slice(0, RECENT_TOOLS).map(asTool);
    },
  };
}

const ASKS_WHAT_HAPPENED =
  /(?<!\p{L})(?:what(?:['’]?s| is| was)? new|happened|lately|recently|so far|did you|have you|undo|yesterday)(?!\p{L})/iu;

/** True for a request that refers back, and for one that names what an earlier call was about. */
function concernsEarlierWork(message: string, use: string): boolean {
  if (refersBack(message) || ASKS_WHAT_HAPPENED.test(message)) return true;
  const asked = new Set(identifyingStems(message));
  return identifyingStems(use).some((stem) => asked.has(stem) && !isCommonWord(stem));
}

/**
 * Returns the persona for prompts. A persona that has the person's own name, as in older profiles, gets the default
 * name.
 */
async function operatorPersona(store: ProfileStore): Promise<Persona> {
  const [persona, { displayName }] = await Promise.all([store.persona(), store.settings()]);
  const people = [store.username, displayName].map((name) => name.trim().toLowerCase());
  const isPersons = people.includes(persona.name.trim().toLowerCase());
  return isPersons ? { ...persona, name: DEFAULT_OPERATOR_NAME } : persona;
}

/** Leaves out failed calls that a later call of the same skill on the same target made good. The newest call is the first. */
function withoutSolved(newestFirst: readonly MemoryRecord[]): MemoryRecord[] {
  const succeeded: MemoryRecord["metadata"][] = [];
  return newestFirst.filter(({ metadata }) => {
    if (metadata.success === true) succeeded.push(metadata);
    return metadata.success === true || !succeeded.some((later) => concernsSameTarget(metadata, later));
  });
}

type ToolUse = Pick<MemoryRecord["metadata"], "toolName" | "toolInputs">;

/** The arguments that name what a call concerns. */
const TARGETS = ["path", "from", "to", "id", "url", "functionId", "title", "name", "argv"];

/** True for two calls of one skill without different targets. A call that names no target concerns its own kind only. */
function concernsSameTarget(failed: ToolUse, later: ToolUse): boolean {
  const targetsOf = ({ toolInputs = {} }: ToolUse) =>
    JSON.stringify(TARGETS.map((name) => comparable(toolInputs[name])));
  return failed.toolName === later.toolName && targetsOf(failed) === targetsOf(later);
}

const comparable = (value: unknown): unknown =>
  typeof value === "string"
    ? value
        .trim()
        .replace(/^(?:\.\/)?(?:out\/)?/u, "")
        .toLowerCase()
    : (value ?? null);

function asTool({ content, timestamp, metadata }: MemoryRecord) {
  return {
    tool: metadata.toolName ?? "a skill",
    summary: content,
    success: metadata.success ?? false,
    timestamp,
  };
}

const FUNCTION_SKILLS: ReadonlySet<string> = new Set(
  installedSkills.filter(({ category }) => category === "functions").map(({ id }) => id),
);
const CHANGING_SKILLS: ReadonlySet<string> = new Set(
  installedSkills.filter(({ effects }) => effects === "write").map(({ id }) => id),
);
const NAMED = new RegExp(`\\b(?:${[...FUNCTION_SKILLS].join("|")})\\b`, "u");

/**
 * True for a memory that only matters if functions are enabled: uses of their skills, texts that name them, and
 * patterns.
 */
function isAboutFunctions({ type, content, metadata }: MemoryRecord): boolean {
  if (type === "pattern" || type === "function_usage") return true;
  return FUNCTION_SKILLS.has(metadata.toolName ?? "") || NAMED.test(content);
}

/** Recalls without memories about functions. */
function recallWithoutFunctions({ recall }: ContextSources["memory"]): ContextSources["memory"] {
  return {
    recall: async (query, signal) =>
      (await recall(query, signal)).filter(({ memory }) => !isAboutFunctions(memory)),
  };
}
