import type { FoundMemory } from "@metahuman/core/contract/answers";
import type { MemoryApi } from "./memory-api.ts";

/** The results of an earlier search that are loaded again at most. */
const MAX_ASKED_AGAIN = 40;

/**
 * The earlier results that are missing among the new ones but not deleted, in their current state and with their earlier
 * position.
 */
export async function stillThere(
  api: Pick<MemoryApi, "list">,
  earlier: readonly FoundMemory[],
  found: readonly FoundMemory[],
): Promise<readonly { at: number; result: FoundMemory }[]> {
  const again = new Set(found.map(({ memory }) => memory.id));
  const places = new Map(earlier.map(({ memory: { id } }, index) => [id, index]));
  const ids = [...places.keys()].filter((id) => !again.has(id)).slice(0, MAX_ASKED_AGAIN);
  if (ids.length === 0) return [];
  const { items } = await api.list({ ids, limit: MAX_ASKED_AGAIN });
  return items
    .map((memory) => ({ at: places.get(memory.id) ?? 0, result: { memory } }))
    .toSorted((one, other) => one.at - other.at);
}
