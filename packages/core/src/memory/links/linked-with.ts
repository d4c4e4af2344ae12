import type { LinkedMemory } from "../../contract/memory.ts";
import { MemoryNotFoundError } from "../../errors/memory-not-found-error.ts";
import type { IndexClient } from "../index/index-client.ts";
import type { MemoryFinder } from "../memory-finder.ts";
import type { MemoryPort } from "../memory-port.ts";
import type { Neighbours } from "./neighbours.ts";

export interface LinkedWithParts {
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
