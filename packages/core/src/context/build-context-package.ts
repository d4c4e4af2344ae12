import {
  ContextBudgets,
  type ContextPackage,
  type ContextSectionName,
  type ConversationContext,
  type ConversationTurn,
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
import { firstLine, formatCount, truncate } from "../text/format.ts";
import { type ContextSection, contextSections } from "./format-context-for-prompt.ts";
import { type RelevantMemories, relevantMemories } from "./relevant-memories.ts";
import {
  CANDIDATE_FUNCTIONS,
  GUIDE_STRICTNESS,
  type SelectedFunctions,
  selectFunctions,
} from "./relevant-functions.ts";
import { keepCitations } from "../contract/citation.ts";
import { clipToTokens, estimateTokens } from "../contract/tokens.ts";
import { extractSummary } from "./extract-summary.ts";
import { FILE_PATH } from "../memory/entities.ts";
import { FUNCTION_WORDS, normalize, stem } from "../language/tokens/words.ts";

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
      () => relevantMemories(sources.memory, { ...options, message, limit: maxMemories }, signal),
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

/** The stored conversation before a request. */
export interface StoredConversation {
  /** The turns after `summary`, oldest first. */
  turns: readonly ConversationTurn[];
  /** Turns before `turns`. */
  earlierTurns: number;
  /** The summary of `earlierTurns`. */
  summary?: string;
}

export const NO_CONVERSATION: ConversationContext = { turns: [], topics: [], omittedTurns: 0 };

/** The maximum share of the budget for the summary and for the continued text, each. */
const SHARE = 1 / 3;
/** Maximum length of the newest turns and of older ones, in tokens. */
const NEWEST_TURN_TOKENS = 200;
const OLDER_TURN_TOKENS = 80;
/** The number of newest turns of which one may be a long message. */
const LONG_MESSAGE_TURNS = 6;
/** Number of newest turns from which focus and topics are derived. */
const TOPIC_TURNS = 8;

/**
 * Builds the conversation for a planner: the newest turns verbatim, and a summary of all before them, which prefers what shares words
 * with `request`. The formatted
 * result (`formatConversation`) stays within `budgetTokens`, and `longMessageTokens` more if one of the last turns is a long message of the
 * person: later requests are usually about the text that was pasted.
 */
export function buildConversationContext(
  { turns, earlierTurns, summary: stored }: StoredConversation,
  {
    budgetTokens,
    longMessageTokens = 0,
    taskContext,
    request,
  }: { budgetTokens: number; longMessageTokens?: number; taskContext?: string; request?: string },
): ConversationContext {
  const share = Math.floor(budgetTokens * SHARE);
  const continued = taskContext?.trim() ? clipToTokens(taskContext.trim(), share) : undefined;
  const left = budgetTokens - (continued === undefined ? 0 : estimateTokens(continued) + LINE_TOKENS);
  const plainTurns = turns.map(withoutCitations);
  const all = newestTurns(plainTurns, left, longMessageTokens);
  const isComplete = all.length === plainTurns.length && stored === undefined;
  const included = isComplete ? all : newestTurns(plainTurns, left - share, longMessageTokens);
  const older = plainTurns.slice(0, plainTurns.length - included.length);
  const summary = isComplete
    ? ""
    : extractSummary(older, {
        tokens: share - LINE_TOKENS,
        before: stored,
        ...(request !== undefined && { request }),
      });
  const focus = focusOf(plainTurns);
  return {
    turns: included,
    topics: topicsOf(plainTurns.slice(-TOPIC_TURNS)),
    omittedTurns: earlierTurns + older.length,
    ...(summary !== "" && { summary }),
    ...(focus !== undefined && { focus }),
    ...(continued !== undefined && { taskContext: continued }),
  };
}

/**
 * The turns with each answer behind its request. Requests that overlap, in two tabs or while a run works, are stored in the order in
 * which they were said. The id of a turn is that of its run and its role.
 */
export function inPairs<Turn extends Pick<ConversationTurn, "role"> & { id: string }>(
  turns: readonly Turn[],
): Turn[] {
  const runOf = ({ id, role }: Turn): string => id.replace(new RegExp(`-${role}$`, "u"), "");
  const isAnswer = ({ role }: Turn): boolean => role === "operator";
  const answers = new Map(turns.filter(isAnswer).map((turn) => [runOf(turn), turn]));
  const asked = new Set(turns.filter((turn) => !isAnswer(turn)).map(runOf));
  return turns.flatMap((turn) => {
    if (isAnswer(turn)) return asked.has(runOf(turn)) ? [] : [turn];
    const answer = answers.get(runOf(turn));
    return answer === undefined ? [turn] : [turn, answer];
  });
}

/** Tokens for the marks around a turn, a summary or the title of the section. */
const LINE_TOKENS = 14;

/**
 * Returns the newest turns within `tokens`, oldest first, each clipped to the limit for its age. The person's last long message may take
 * `longMessageTokens` more.
 */
function newestTurns(
  turns: readonly ConversationTurn[],
  tokens: number,
  longMessageTokens: number,
): ConversationTurn[] {
  const newest: ConversationTurn[] = [];
  let left = tokens - LINE_TOKENS;
  let longTokens = longMessageTokens;
  for (const turn of turns.toReversed()) {
    const isNewest = newest.length < 2;
    const most = isNewest ? Math.min(NEWEST_TURN_TOKENS, Math.floor(tokens / 3)) : OLDER_TURN_TOKENS;
    const isLong = turn.role === "person" && estimateTokens(turn.text) > NEWEST_TURN_TOKENS;
    const more = isLong && newest.length < LONG_MESSAGE_TURNS ? longTokens : 0;
    if (more > 0) longTokens = 0;
    const text = clipToTokens(turn.text, most + more);
    left -= Math.max(0, estimateTokens(text) - more) + LINE_TOKENS;
    if (left < 0) break;
    newest.unshift({ ...turn, text });
  }
  return newest;
}

function withoutCitations(turn: ConversationTurn): ConversationTurn {
  const text = turn.role === "operator" ? keepCitations(turn.text, new Set()) : turn.text;
  return { ...turn, text: text.trim() };
}

const MAX_TOPICS = 6;
const MAX_FOCUS_LENGTH = 100;

/** Words of requests and answers that name no subject. */
const COMMON = new Set(
  (
    "thing things way file files list lists make made show tell told find found get give given take put want need know think say said like " +
    "help let see look use used using done yes okay ok sure thanks thank hello good great new old more most much many " +
    "still first last next today tomorrow yesterday once twice long short measures measure have got going went come came " +
    "ask asked answer answered write wrote written read create created delete deleted add added open notes note " +
    "operator could would about which with without your mine yours them into from what when where this that these those"
  )
    .split(" ")
    .map(stem),
);

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;

interface Topic {
  word: string;
  weight: number;
  first: number;
}

/**
 * Returns names, files and nouns of the turns, most prominent first. Frequency, recency, the person as author, and
 * being a name add weight.
 */
function topicsOf(turns: readonly ConversationTurn[]): string[] {
  const found = new Map<string, Topic>();
  turns.forEach(({ role, text, outcome }, index) => {
    if (outcome !== undefined) return;
    const weight = (role === "person" ? 2 : 1) * (1 + index / turns.length);
    const seen = new Set<string>();
    for (const { word, key, isName } of subjectsIn(text)) {
      if (seen.has(key)) continue;
      seen.add(key);
      const known = found.get(key) ?? { word, weight: 0, first: found.size };
      found.set(key, { ...known, weight: known.weight + weight * (isName ? 2 : 1) });
    }
  });
  return [...found.values()]
    .toSorted((a, b) => b.weight - a.weight || a.first - b.first)
    .slice(0, MAX_TOPICS)
    .map(({ word }) => word);
}

/** Returns the first line of the person's newest turn with at least two subjects; undefined if there is none. */
function focusOf(turns: readonly ConversationTurn[]): string | undefined {
  const newest = turns.findLast(
    ({ role, text }) => role === "person" && new Set(subjectsIn(text).map(({ key }) => key)).size >= 2,
  );
  const line = firstLine(newest?.text ?? "");
  return line === "" ? undefined : truncate(line, MAX_FOCUS_LENGTH);
}

/** The longest gap between a sentence and the next one, in characters. */
const MAX_GAP = 50;

function subjectsIn(text: string): { word: string; key: string; isName: boolean }[] {
  const paths = [...text.matchAll(FILE_PATH)].map(([word]) => ({ word, key: word, isName: true }));
  const words = [...text.replaceAll(FILE_PATH, " ").matchAll(WORD)].flatMap((match) => {
    const word = match[0];
    const key = stem(normalize(word));
    if (word.length < 4 || /^\d/u.test(word) || FUNCTION_WORDS.has(normalize(word)) || COMMON.has(key))
      return [];
    const before = text.slice(Math.max(0, match.index - MAX_GAP), match.index);
    const startsSentence = match.index === 0 || /[.!?\n]\s*$/u.test(before);
    return [{ word, key, isName: /^\p{Lu}/u.test(word) && !startsSentence }];
  });
  return [...paths, ...words];
}
