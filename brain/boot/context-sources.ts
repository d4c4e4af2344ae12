import type { OperatorOptions } from "@metahuman/agents/operator/operator-options";
import { buildContextPackage, type ContextSources } from "@metahuman/core/context/build-context-package";
import type { Config } from "@metahuman/core/contract/config";
import { DEFAULT_OPERATOR_NAME, type Persona } from "@metahuman/core/contract/profile";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { FunctionsOfProfile, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { isCommonWord } from "@metahuman/core/functions/retrieval/background-words";
import { refersBack } from "@metahuman/core/context/relevant-memories";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import { installedSkills } from "@metahuman/skills/installed";

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
export function createContextBuilder(
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
    ...(functions && { functions: (request, options) => functions.queryFunctions(request, options) }),
    persona: () => operatorPersona(store),
    person: async () => (await store.settings()).displayName,
    recentTools: async () => {
      const { items } = await memory.list({ types: ["tool_invocation"], limit: LOOKED_THROUGH });
      const relevant = items.filter(
        (item) => isRelevantUse(item) && (functions !== false || !isAboutFunctions(item)),
      );
      // A repeated call with the same outcome adds nothing.
      const contents = new Set<string>();
      const distinct = relevant.filter(({ content }) => !contents.has(content) && contents.add(content));
      return withoutSolved(distinct).slice(0, RECENT_TOOLS).map(asTool);
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
