import { type LinkedMemory, type MemoryRecord, MemoryType } from "../../contract/memory.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import type { IndexClient } from "../index/index-client.ts";
import { calibrationOf, type Measured } from "./calibration.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";
import type { MemoryFinder } from "../store/memory-finder.ts";
import type { MemoryPort } from "../memory-port.ts";

/** How many neighbours a memory has at most. */
const NEIGHBOURS = 3;
/** Records of what a skill did are all alike; their run links them. */
const LONELY: ReadonlySet<MemoryType> = new Set<MemoryType>(["tool_invocation", "function_usage"]);
const INNER: readonly MemoryType[] = ["inner_dialogue", "reflection", "dream"];

/**
 * The ids of the memories about the same thing as one, the nearest first; none while it is not embedded. What somebody
 * said to themselves is near only to its like.
 */
export type Neighbours = (record: Pick<MemoryRecord, "id" | "type">) => Promise<string[]>;

/** `searchedWith` tells whose vectors are complete now. */
export function createNeighbours(
  client: IndexClient,
  searchedWith: () => Embedder,
  measured?: () => Measured,
): Neighbours {
  return async ({ id, type }) => {
    if (LONELY.has(type)) return [];
    const kinds = MemoryType.options.filter(
      (other) => !LONELY.has(other) && (INNER.includes(type) || !INNER.includes(other)),
    );
    const { id: embedder, dimensions } = searchedWith();
    const facts = { id: embedder, dimensions };
    const near = await client.call("neighbours", { embedder: facts, id, limit: NEIGHBOURS, kinds });
    const { alike } = calibrationOf(embedder, measured?.());
    return near.filter(({ similarity }) => similarity >= alike).map((match) => match.id);
  };
}

interface LinkedWithParts {
  client: IndexClient;
  finder: MemoryFinder;
  neighbours: Neighbours;
}

/** Shows what a memory is linked with, in both directions, and what else is of like meaning. */
export function linkedWith({ client, finder, neighbours }: LinkedWithParts): MemoryPort["linked"] {
  return async (id) => {
    const filed = await finder.find(id);
    if (!filed) throw new MemoryNotFoundError(`There is no memory with the id ${id.slice(0, 120)}.`);
    const linked = await client.call("linked", id);
    const known = new Set(linked.map((other) => other.id));
    const near = (await neighbours(filed.record)).filter((other) => !known.has(other));
    return [...linked, ...(await client.call("shown", near))].map((other): LinkedMemory => ({
      ...other,
      title: other.title.replaceAll(/\s+/gu, " ").trim(),
    }));
  };
}
