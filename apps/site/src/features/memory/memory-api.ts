import type { Feedback, MemoryEdit, TimeSort } from "@metahuman/core/contract/http";
import type { MemoryRecord, MemoryType } from "@metahuman/core/contract/memory";
import { path, type HttpClient, type ListQuery, lazySchemas } from "../../lib/api/http-client.ts";
import type { Narrowing } from "./memory-filters.svelte.ts";
import { byInterest, isFact } from "./memory-order.ts";
import type { FoundMemory } from "@metahuman/core/contract/answers";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));

export interface KeywordMatches {
  facts: readonly MemoryRecord[];
  others: readonly MemoryRecord[];
}

/** The endpoints of memories. Throws as `HttpClient` does. */
export class MemoryApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** The number of memories of each type, and the latest one of each. */
  all() {
    return this.#http.request(answers("MemoriesAll"), "GET", "/api/memories_all", { query: { limit: 1 } });
  }

  list(query: ListQuery & Narrowing & { sort?: TimeSort; ids?: readonly string[] }) {
    const { types, ids, ...rest } = query;
    return this.#http.request(answers("MemoryPage"), "GET", "/api/memories", {
      query: { ...rest, types: types?.join(","), ids: ids?.join(",") },
    });
  }

  /**
   * Finds records by keywords. Lists facts apart from conversations and calls, which often repeat the words of a
   * fact. Each list has at most the `limit` newest records, newest first; conversations come before calls.
   */
  async searchWords({
    types,
    ...query
  }: ListQuery & Narrowing & { types: readonly MemoryType[] }): Promise<KeywordMatches> {
    const listTypes = async (listedTypes: readonly MemoryType[]) =>
      listedTypes.length === 0 ? [] : (await this.list({ ...query, types: listedTypes })).items;
    const [facts, others] = await Promise.all([
      listTypes(types.filter(isFact)),
      listTypes(types.filter((type) => !isFact(type))),
    ]);
    return { facts, others: others.toSorted(byInterest) };
  }

  get(id: string) {
    return this.#http.request(answers("MemoryDetail"), "GET", path`/api/memories/${id}`);
  }

  /** Records that a search result was opened, which counts as a use. */
  opened(id: string): Promise<unknown> {
    return this.#http.requestVoid("POST", path`/api/memories/${id}/opened`);
  }

  /** Records whether a person found the memory useful. */
  judge(id: string, verdict: Feedback["verdict"]) {
    return this.#http.request(answers("MemoryAnswer"), "POST", path`/api/memories/${id}/feedback`, {
      body: { verdict },
    });
  }

  /** Finds records and tasks by meaning and by words, in the order in which the page shows them. */
  search({ types, ...query }: Narrowing & { query: string }, signal: AbortSignal) {
    return this.#http.request(answers("MemorySearchAnswer"), "GET", "/api/memories/search", {
      query: { ...query, types: types?.join(",") },
      signal,
    });
  }

  /** Adds a fact in the person's words. */
  remember(content: string) {
    return this.#http.request(answers("MemoryAnswer"), "POST", "/api/memories", {
      body: { type: "curated", content },
    });
  }

  edit(id: string, edit: MemoryEdit) {
    return this.#http.request(answers("MemoryAnswer"), "PATCH", path`/api/memories/${id}`, { body: edit });
  }

  remove(id: string) {
    return this.#http.request(answers("ArchivedAnswer"), "DELETE", path`/api/memories/${id}`);
  }
}

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
