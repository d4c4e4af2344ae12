import type { Profile } from "@metahuman/boot/brain";
import type { FoundMemory, MemorySearchAnswer } from "@metahuman/core/contract/answers";
import type {
  MemoryRecord,
  MemorySource,
  RecallPart,
  MemoryTrust,
  MemoryType,
} from "@metahuman/core/contract/memory";
import type { Task } from "@metahuman/core/contract/task";
import { contentWords } from "@metahuman/core/text/words";
import { ALL_TYPES } from "../features/memory/memory-labels.ts";
import { byInterest, isFact } from "../features/memory/memory-order.ts";

const MAX_RESULTS = 40;
/** The words of a query that are searched separately. */
const MAX_WORDS = 6;

/** The query and its filters; an absent filter does not filter. With a filter, no tasks are found. */
export interface MemorySearch {
  query: string;
  types?: readonly MemoryType[] | undefined;
  since?: string | undefined;
  tag?: string | undefined;
  source?: MemorySource["kind"] | undefined;
  trust?: MemoryTrust | undefined;
}

/** Records and tasks that have the words of a query. */
export interface FoundByWords {
  memories: readonly MemoryRecord[];
  tasks: readonly Task[];
}

/**
 * Searches records and tasks. If no fact and no task has all words, those with some of them are found, too. A weak match without
 * any of the words comes after them. At most 40 of each.
 */
export async function searchMemory(
  { memory, tasks }: Pick<Profile, "memory" | "tasks">,
  search: MemorySearch,
  signal: AbortSignal,
): Promise<MemorySearchAnswer> {
  const query = search.query.trim();
  const { since, tag, source, trust } = search;
  const isNarrowed = [search.types, since, tag, source, trust].some((filter) => filter !== undefined);
  const types = search.types ?? ALL_TYPES;
  const narrowed = {
    ...(since !== undefined && { since }),
    ...(tag !== undefined && { tag }),
    ...(source !== undefined && { source }),
    ...(trust !== undefined && { trust }),
  };
  const newest = async (some: readonly MemoryType[], words: string): Promise<readonly MemoryRecord[]> => {
    if (some.length === 0) return [];
    return (await memory.list({ ...narrowed, types: [...some], query: words, limit: MAX_RESULTS })).items;
  };
  // Requests and calls often repeat the words of a fact, so they are listed apart.
  const facts = types.filter(isFact);
  const others = types.filter((type) => !isFact(type));
  const withWords = async (words: string): Promise<FoundByWords> => {
    const [known, repeated, listed] = await Promise.all([
      newest(facts, words),
      newest(others, words),
      isNarrowed ? undefined : tasks.list({ query: words, includeDone: true, limit: MAX_RESULTS }),
    ]);
    return { memories: [...known, ...repeated.toSorted(byInterest)], tasks: listed?.tasks ?? [] };
  };
  const recalled = async (): Promise<readonly FoundMemory[]> => {
    // Recall cannot filter by source or trust.
    if (source !== undefined || trust !== undefined) return [];
    const found = await memory.recall(
      {
        query,
        types: [...types],
        limit: MAX_RESULTS,
        explain: true,
        ...(since !== undefined && { since }),
        ...(tag !== undefined && { tags: [tag] }),
      },
      signal,
    );
    return found.map(({ memory: one, score, parts }) => ({
      memory: one,
      score: scoreAlone(score, parts),
      parts,
    }));
  };
  const words = wordsOf(query);
  const [ranked, withAll] = await Promise.all([recalled(), withWords(query)]);
  const withSome = words.length > 1 && !hasFactOrTask(withAll) ? await Promise.all(words.map(withWords)) : [];
  return mergeResults({ words, ranked, withAll, withSome });
}

/** The words to search separately: without stop words, which most records have, unless the query has no others. */
function wordsOf(query: string): string[] {
  const all = query.split(/\s+/u);
  const specific = all.filter((word) => contentWords(word).length > 0);
  return (specific.length > 0 ? specific : [query]).slice(0, MAX_WORDS);
}

/** How well a record fits by itself: recall lowers the score of one that repeats a better one, so that it comes later. */
function scoreAlone(score: number, parts: readonly RecallPart[]): number {
  return parts.filter(({ name }) => name === "repetition").reduce((sum, { value }) => sum - value, score);
}

/** The results in their order: facts, then conversations, then calls; among them what was ranked, then what has the words. */
export function mergeResults({
  words,
  ranked,
  withAll,
  withSome,
}: {
  words: readonly string[];
  ranked: readonly FoundMemory[];
  withAll: FoundByWords;
  /** The items that contain each word. */
  withSome: readonly FoundByWords[];
}): MemorySearchAnswer {
  const containing = [withAll.memories, alternate(withSome.map(({ memories }) => memories))].flat();
  const isWeak = withoutWords(words, containing);
  const memories = unique(
    [...ranked, ...containing.map((memory) => ({ memory }))],
    ({ memory }) => memory.id,
  );
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

const hasFactOrTask = ({ memories, tasks }: FoundByWords): boolean =>
  tasks.length > 0 || memories.some(({ type }) => isFact(type));

/** The score from which a match is shown before records that only contain a word. */
const GOOD = 0.5;

/** Whether a result is a weak match that has none of the words, and is not among the records that contain some. */
function withoutWords(
  words: readonly string[],
  containing: readonly MemoryRecord[],
): (result: FoundMemory) => boolean {
  const ids = new Set(containing.map(({ id }) => id));
  const parts = words.map((word) => word.toLowerCase());
  return ({ memory: { id, content }, score = GOOD }) =>
    score < GOOD && !ids.has(id) && !parts.some((part) => content.toLowerCase().includes(part));
}

/** The first item of each list, then the second of each, and so on. */
function alternate<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

/** The first of all items with the same id. */
function unique<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(idOf(item)) && seen.add(idOf(item)));
}
