import type { Profile } from "@metahuman/boot/brain";
import type { MemoryType } from "@metahuman/core/contract/memory";
import { MemoryFilters } from "../features/memory/memory-filters.svelte.ts";
import { byInterest, isFact } from "../features/memory/memory-labels.ts";
import { searchMemory, type SearchResults } from "../features/memory/memory-search.ts";
import { omitUndefined } from "../server/api/omit-undefined.ts";

/** Searches the records and tasks of a profile as the memory page does without filters. */
export function searchStored(
  { memory, tasks }: Profile,
  query: string,
  signal: AbortSignal,
): Promise<SearchResults> {
  return searchMemory(
    {
      async byWords({ types, ...rest }) {
        const list = async (some: MemoryType[]) =>
          some.length === 0 ? [] : (await memory.list(omitUndefined({ ...rest, types: some }))).items;
        const [facts, others] = await Promise.all([
          list(types.filter(isFact)),
          list(types.filter((type) => !isFact(type))),
        ]);
        return { facts, others: others.toSorted(byInterest) };
      },
      recall: (words, { types }, limit, end) =>
        memory.recall({ query: words, types: [...types], limit, explain: true }, end),
      tasks: async (words, limit) => (await tasks.list({ query: words, includeDone: true, limit })).tasks,
    },
    query,
    new MemoryFilters(),
    signal,
  );
}
