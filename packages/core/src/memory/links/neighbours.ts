import { MemoryType } from "../../contract/memory.ts";
import type { MemoryRecord } from "../../contract/memory.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import type { IndexClient } from "../index/index-client.ts";
import { calibrationOf, type Measured } from "../recall/calibration.ts";

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
