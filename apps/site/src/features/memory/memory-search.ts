import type { MemoryRecord, MemoryType, RecallPart } from "@metahuman/core/contract/memory";
import type { Task } from "@metahuman/core/contract/task";
import type { MemoryFilters, Narrowing } from "./memory-filters.svelte.ts";
import { ALL_TYPES, byInterest, isFact } from "./memory-labels.ts";

export const MAX_RESULTS = 40;
/** The words of a query that are searched separately. */
const MAX_WORDS = 6;

/** A search result with its score (0–1), if the search ranks by score. */
export interface SearchResult {
  memory: MemoryRecord;
  score?: number;
  /** The terms of the score. */
  parts?: readonly RecallPart[];
}

export interface SearchResults {
  /** Facts, then conversations, then skill calls; in each group the best match first, or the newest. */
  memories: readonly SearchResult[];
  tasks: readonly Task[];
  /** Whether the records were found by keywords only. */
  keywordOnly: boolean;
}

/** The types of records that a search covers. */
type Narrowed = Narrowing & { types: readonly MemoryType[] };

/** Where `searchMemory` looks: the API in the browser, the profile on the server. */
export interface SearchSource {
  /** The newest records that have all words: facts, and apart from them what was asked and done. */
  byWords(
    query: Narrowed & { query: string; limit: number },
  ): Promise<{ facts: readonly MemoryRecord[]; others: readonly MemoryRecord[] }>;
  recall(
    query: string,
    narrowing: Narrowed,
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly SearchResult[]>;
  /** The tasks that have all words, done ones too. */
  tasks(query: string, limit: number): Promise<readonly Task[]>;
}

interface Found {
  memories: readonly SearchResult[];
  tasks: readonly Task[];
}

/** The score from which a match is shown before records that only contain a word. */
const GOOD = 0.5;

/**
 * Searches all records and tasks. If no fact and no task contains all words, those with some of them are returned. A weak
 * match without any of the words comes after them. Throws as its source does.
 */
export async function searchMemory(
  source: SearchSource,
  query: string,
  filters: Pick<MemoryFilters, "narrowing" | "active">,
  signal: AbortSignal,
): Promise<SearchResults> {
  const narrowing = filters.narrowing(ALL_TYPES);
  // Recall cannot filter by source or trust; with such a filter, a keyword search is used instead.
  const keywordOnly = narrowing.source !== undefined || narrowing.trust !== undefined;
  const withWords = async (words: string): Promise<Found> => {
    const [{ facts, others }, tasks] = await Promise.all([
      source.byWords({ ...narrowing, query: words, limit: MAX_RESULTS }),
      filters.active > 0 ? [] : source.tasks(words, MAX_RESULTS),
    ]);
    return { memories: [...facts, ...others].map((memory) => ({ memory })), tasks };
  };
  const [ranked, withAll] = await Promise.all([
    keywordOnly ? [] : source.recall(query, narrowing, MAX_RESULTS, signal),
    withWords(query),
  ]);
  const words = query.split(/\s+/u).slice(0, MAX_WORDS);
  const withSome = words.length > 1 && !hasFactOrTask(withAll) ? await Promise.all(words.map(withWords)) : [];
  const containing = [withAll.memories, alternate(withSome.map(({ memories }) => memories))].flat();
  const isWeak = withoutWords(words, containing);
  const memories = unique([...ranked, ...containing], ({ memory }) => memory.id);
  const tasks = [withAll.tasks, alternate(withSome.map((found) => found.tasks))].flat();
  return {
    memories: memories
      .toSorted(
        (one, other) => byInterest(one.memory, other.memory) || Number(isWeak(one)) - Number(isWeak(other)),
      )
      .slice(0, MAX_RESULTS),
    tasks: unique(tasks, ({ id }) => id).slice(0, MAX_RESULTS),
    keywordOnly: ranked.length === 0,
  };
}

const hasFactOrTask = ({ memories, tasks }: Found): boolean =>
  tasks.length > 0 || memories.some(({ memory }) => isFact(memory.type));

/** Whether a result is a weak match that has none of the words, and is not among the results that contain some. */
function withoutWords(
  words: readonly string[],
  containing: readonly SearchResult[],
): (result: SearchResult) => boolean {
  const ids = new Set(containing.map(({ memory }) => memory.id));
  const parts = words.map((word) => word.toLowerCase());
  return ({ memory: { id, content }, score = GOOD }) =>
    score < GOOD && !ids.has(id) && !parts.some((part) => content.toLowerCase().includes(part));
}

/** The first item of each list, then the second of each, and so on. */
function alternate<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** The first of all items with the same id. */
function unique<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(idOf(item)) && seen.add(idOf(item)));
}
