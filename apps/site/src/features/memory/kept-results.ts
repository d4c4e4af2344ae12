import type { FoundMemory } from "@metahuman/core/contract/answers";
import type { MemoryApi } from "./memory-api.ts";

/** The maximum number of earlier results that are loaded again. */
const MAX_RELOADED = 40;

/**
 * The earlier results that are missing among the new ones but not deleted, in their current state and with their earlier
 * position.
 */
export async function keptResults(
  api: Pick<MemoryApi, "list">,
  earlier: readonly FoundMemory[],
  found: readonly FoundMemory[],
): Promise<readonly { index: number; result: FoundMemory }[]> {
  const foundIds = new Set(found.map(({ memory }) => memory.id));
  const earlierIndexes = new Map(earlier.map(({ memory: { id } }, index) => [id, index]));
  const ids = [...earlierIndexes.keys()].filter((id) => !foundIds.has(id)).slice(0, MAX_RELOADED);
  if (ids.length === 0) return [];
  const { items } = await api.list({ ids, limit: MAX_RELOADED });
  return items
    .map((memory) => ({ index: earlierIndexes.get(memory.id) ?? 0, result: { memory } }))
    .toSorted((one, other) => one.index - other.index);
}
