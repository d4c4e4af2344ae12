import { type LinkedMemory, type MemoryRecord, MemoryType } from "../../contract/memory.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import type { IndexClient } from "../index/index-client.ts";
import { calibrationOf, type MeasuredSimilarities } from "./calibration.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";
import type { MemoryStorage } from "../store/record-storage.ts";
import type { MemoryPort } from "../memory-port.ts";

/** The maximum number of neighbors of a memory. */
const MAX_NEIGHBORS = 3;
/** Records of skill calls resemble each other; they are linked by run instead. */
const UNLINKED_TYPES: ReadonlySet<MemoryType> = new Set<MemoryType>(["tool_invocation", "function_usage"]);
const TYPES_ON_REQUEST: readonly MemoryType[] = ["inner_dialogue", "reflection", "dream"];

/**
 * The ids of the memories with similar meaning, nearest first; none while the memory is not embedded. Types on request are
 * neighbors of such types only.
 */
export type Neighbors = (record: Pick<MemoryRecord, "id" | "type">) => Promise<string[]>;

/** `searchedWith` returns the embedder whose vectors are complete now. */
export function createNeighborSearch(
  client: IndexClient,
  searchedWith: () => Embedder,
  measured?: () => MeasuredSimilarities,
): Neighbors {
  return async ({ id, type }) => {
    if (UNLINKED_TYPES.has(type)) return [];
    const kinds = MemoryType.options.filter(
      (other) =>
        !UNLINKED_TYPES.has(other) && (TYPES_ON_REQUEST.includes(type) || !TYPES_ON_REQUEST.includes(other)),
    );
    const { id: embedder, dimensions } = searchedWith();
    const facts = { id: embedder, dimensions };
    const near = await client.call("neighbors", { embedder: facts, id, limit: MAX_NEIGHBORS, kinds });
    const { alike } = calibrationOf(embedder, measured?.());
    return near.filter(({ similarity }) => similarity >= alike).map((match) => match.id);
  };
}

interface LinkedMemoriesDependencies {
  client: IndexClient;
  storage: Pick<MemoryStorage, "find">;
  neighbors: Neighbors;
}

/**
 * Returns the memories linked with a memory, in both directions, and those with similar meaning. Types on request are shown as similar
 * to such types only.
 */
export function createLinkedMemories({
  client,
  storage,
  neighbors,
}: LinkedMemoriesDependencies): MemoryPort["linked"] {
  return async (id) => {
    const filed = await storage.find(id);
    if (!filed) throw new MemoryNotFoundError(`There is no memory with the id ${id.slice(0, 120)}.`);
    const isOnRequest = TYPES_ON_REQUEST.includes(filed.record.type);
    // A dream that resembles a fact names it, and the fact does not show the dream.
    const linked = (await client.call("linked", id)).filter(
      ({ direction, relation, type }) =>
        isOnRequest || direction !== "from" || relation !== "similar" || !TYPES_ON_REQUEST.includes(type),
    );
    const known = new Set(linked.map((other) => other.id));
    const near = (await neighbors(filed.record)).filter((other) => !known.has(other));
    return [...linked, ...(await client.call("shown", near))].map((other): LinkedMemory => ({
      ...other,
      title: other.title.replaceAll(/\s+/gu, " ").trim(),
    }));
  };
}
