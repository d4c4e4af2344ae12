import {
  ContextBudgets,
  type ContextPackage,
  type ContextSectionName,
  type ConversationContext,
} from "../contract/context.ts";
import type { FunctionSearchAnswer } from "../contract/function-search.ts";
import type { RecalledMemory } from "../contract/memory.ts";
import { DEFAULT_OPERATOR_NAME, type Persona } from "../contract/profile.ts";
import type { Task } from "../contract/task.ts";
import type { CognitiveMode } from "../contract/trust.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import type { TasksPort } from "../memory/tasks/tasks-port.ts";
import { patternFacts } from "../memory/patterns/pattern-memory.ts";
import { fitsTemplate } from "../memory/patterns/template.ts";
import { formatCount } from "../text/format.ts";
import { NO_CONVERSATION } from "./conversation-context.ts";
import { type ContextSection, contextSections } from "./format-context-for-prompt.ts";
import { type RelevantMemories, relevantMemories } from "./relevant-memories.ts";
import {
  GUIDE_STRICTNESS,
  CANDIDATE_FUNCTIONS,
  selectFunctions,
  type SelectedFunctions,
} from "./relevant-functions.ts";

/** The data sources. All are queried in parallel; a source that fails is omitted with a warning. */
export interface ContextSources {
  memory: Pick<MemoryPort, "recall">;
  tasks: Pick<TasksPort, "list">;
  persona: () => Promise<Persona>;
  /** The display name of the person. */
  person?: () => Promise<string>;
  /** Newest first. */
  recentTools?: () => Promise<ContextPackage["recentTools"]>;
  /** The verified functions that match a request; absent if functions are disabled. */
  functions?: (
    request: string,
    options: { limit: number; explain: boolean; strictness: number; signal?: AbortSignal },
  ) => Promise<FunctionSearchAnswer>;
}

export interface ContextOptions {
  sources: ContextSources;
  /** Maximum number of memories. Default: 4. */
  maxMemories?: number;
  conversationId?: string;
  sessionId?: string;
  /** The conversation so far. */
  conversation?: ConversationContext;
  /** Token budget of each section. Default: the values of `etc/operator.json`. */
  budgets?: ContextBudgets;
  /** Token budget of the whole package. Default: the sum of `budgets`. */
  budget?: number;
  signal?: AbortSignal;
}

const DEFAULT_MEMORIES = 4;
const NO_MEMORIES: RelevantMemories = { memories: [], patterns: [], rejected: [] };
const ACTIVE_TASKS = 10;
const NO_TASKS: { tasks: Task[]; total?: number } = { tasks: [] };
const EMPTY_PERSONA: Persona = { name: DEFAULT_OPERATOR_NAME, role: "", values: [], voice: "", goals: [] };

/**
 * Collects the memories for one request. Excludes reflections, dreams, inner dialogue and records of the operator's own
 * calls. If the package exceeds its budget, the lowest-ranked memories are dropped first, and the explanation lists
 * them.
 */
export async function buildContextPackage(
  message: string,
  mode: CognitiveMode,
  options: ContextOptions,
): Promise<ContextPackage> {
  const {
    sources,
    maxMemories = DEFAULT_MEMORIES,
    conversation = NO_CONVERSATION,
    budgets = ContextBudgets.parse({}),
    budget = Object.values(budgets).reduce((sum, tokens) => sum + tokens, 0),
    conversationId,
    sessionId,
    signal,
  } = options;
  const warnings: string[] = [];
  const timingsMs: Record<string, number> = {};

  async function loadSection<Value>(
    name: string,
    load: () => Promise<Value>,
    fallback: Value,
  ): Promise<Value> {
    const startedAt = performance.now();
    try {
      return await load();
    } catch (error) {
      signal?.throwIfAborted();
      warnings.push(`${name} could not be looked up${error instanceof Error ? `: ${error.message}` : ""}`);
      return fallback;
    } finally {
      timingsMs[name] = Math.round((performance.now() - startedAt) * 10) / 10;
    }
  }

  const [offered, recalled, openTasks, persona, person, recentTools] = await Promise.all([
    loadSection("functions", () => lookUpFunctions(sources, message, budgets.functions, signal), undefined),
    loadSection(
      "memories",
      () =>
        relevantMemories(sources.memory, { message, limit: maxMemories, conversationId, sessionId }, signal),
      NO_MEMORIES,
    ),
    loadSection("tasks", () => sources.tasks.list({ limit: ACTIVE_TASKS }), NO_TASKS),
    loadSection("persona", sources.persona, EMPTY_PERSONA),
    loadSection("person", async () => sources.person?.(), undefined),
    loadSection("recent tools", async () => (await sources.recentTools?.()) ?? [], []),
  ]);

  const patterns = recurringRequests(recalled.patterns, message);
  const found: Items = {
    memories: recalled.memories,
    recentTools,
    activeTasks: openTasks.tasks,
  };
  const { summary, focus, topics, turns, omittedTurns } = conversation;
  const assemble = (selected: Items, explained: Explained = {}): ContextPackage => ({
    request: message,
    ...selected,
    ...(openTasks.total !== undefined && { openTasks: openTasks.total }),
    relevantFunctions: offered?.functions ?? [],
    persona,
    ...(person !== undefined && { person }),
    ...(focus !== undefined && { currentFocus: focus }),
    recentTopics: topics,
    patterns,
    ...(summary !== undefined && { conversationSummary: summary }),
    conversation,
    mode,
    budget: { tokens: budget, used: 0, sections: budgets },
    explanation: {
      memories: selected.memories.map(({ memory, score, rank, parts }) => ({
        id: memory.id,
        score,
        rank,
        reason: reasonOf(parts),
      })),
      ...(recalled.rejected.length > 0 && { rejectedMemories: recalled.rejected }),
      functions: [],
      patterns,
      ...offered?.explained,
      ...explained,
      conversation: { turns: turns.length, omittedTurns, ...(summary !== undefined && { summary }) },
      warnings,
      timingsMs,
    },
  });
  return withinBudget(assemble, found, budget);
}

async function lookUpFunctions(
  { functions }: ContextSources,
  request: string,
  budget: number,
  signal: AbortSignal | undefined,
): Promise<SelectedFunctions | undefined> {
  if (functions === undefined || request.trim() === "") return undefined;
  const recallQuery = {
    limit: CANDIDATE_FUNCTIONS,
    explain: true,
    strictness: GUIDE_STRICTNESS,
    ...(signal && { signal }),
  };
  return selectFunctions(request, await functions(request, recallQuery), budget);
}

/** Returns a sentence for each pattern that the request repeats. */
function recurringRequests(recalled: readonly RecalledMemory[], message: string): string[] {
  return recalled.flatMap(({ memory }) => {
    const facts = patternFacts(memory);
    if (
      !facts ||
      facts.kind !== "request" ||
      memory.trust === "untrusted" ||
      !fitsTemplate(facts.template, message)
    )
      return [];
    const offer = facts.offeredAt === undefined ? "; offer to make it a function" : "";
    return [`“${facts.template}” has been asked ${facts.occurrences} times${offer}`];
  });
}

/** Lists that are shortened if the package is too large; the least important item comes last. */
type Items = Pick<ContextPackage, "memories" | "recentTools" | "activeTasks">;
type Explained = Pick<ContextPackage["explanation"], "sections">;

/**
 * Fits each list to its own budget. While the total is too large, drops the lowest-ranked memory, then the oldest
 * tool use, then the least urgent task.
 */
function withinBudget(
  assemble: (included: Items, explained?: Explained) => ContextPackage,
  found: Items,
  budget: number,
): ContextPackage {
  const fitted = contextSections(assemble(found));
  const shownItems = (name: ContextSectionName) => fitted.find((section) => section.name === name)?.shown;
  // The text of the tasks section itself states how many are missing.
  let included: Items = {
    memories: found.memories.slice(0, shownItems("memories")),
    recentTools: found.recentTools.slice(0, shownItems("tools")),
    activeTasks: found.activeTasks,
  };
  let sections = contextSections(assemble(included));
  for (;;) {
    const reduced = tokensOf(sections) > budget ? dropLeastImportant(included) : undefined;
    if (reduced === undefined) break;
    included = reduced;
    sections = contextSections(assemble(included));
  }
  const missing = countOmitted(found, included);
  const explained = sections.map(({ name, tokens, budgetTokens, leftOut: omitted }) => {
    const words = missing[name] ?? omitted;
    return { name, tokens, budgetTokens, ...(words !== undefined && { leftOut: words }) };
  });
  const built = assemble(included, { sections: explained });
  return { ...built, budget: { ...built.budget, used: tokensOf(sections) } };
}

function tokensOf(sections: readonly ContextSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + tokens, 0);
}

function dropLeastImportant(included: Items): Items | undefined {
  if (included.memories.length > 0) return { ...included, memories: included.memories.slice(0, -1) };
  if (included.recentTools.length > 0) return { ...included, recentTools: included.recentTools.slice(0, -1) };
  if (included.activeTasks.length > 0) return { ...included, activeTasks: included.activeTasks.slice(0, -1) };
  return undefined;
}

function countOmitted(found: Items, included: Items): Partial<Record<ContextSectionName, string>> {
  const counts = [
    ["memories", found.memories.length - included.memories.length, "recalled memory"],
    ["tools", found.recentTools.length - included.recentTools.length, "tool use"],
  ] as const;
  return Object.fromEntries(
    counts.filter(([, count]) => count > 0).map(([name, count, what]) => [name, formatCount(count, what)]),
  );
}

/** Returns the two terms with the highest weight. */
function reasonOf(parts: RecalledMemory["parts"]): string {
  return parts
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, 2)
    .map(({ name, detail }) => (detail === undefined ? name : `${name} (${detail})`))
    .join(", ");
}
