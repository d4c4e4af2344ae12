import { z } from "zod";
import {
  EVERY_AGENT,
  type FunctionMemory,
  FunctionSort,
  type FunctionTrust,
} from "../../contract/function.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import type { MeaningSearch } from "../../memory/index/embeddings.ts";
import type { FunctionsPort } from "../functions-port.ts";
import { type LocatedFunction, type IndexedFile, partitionsToSearch } from "../index/protocol.ts";
import { isOf } from "../store/function-store.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { explanationOf } from "../retrieval/rank-functions.ts";
import { DEPTH } from "../retrieval/search-functions.ts";
import type { LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

const DEFAULT_LIMIT = 3;

const Cursor = z.strictObject({
  sort: FunctionSort,
  key: z.union([z.string(), z.number()]),
  id: z.string(),
});
type Cursor = z.infer<typeof Cursor>;

type ReadMethods = Pick<
  FunctionsPort,
  "loadFunction" | "findByName" | "listFunctions" | "queryFunctions" | "nearestRecipes"
>;

/** The maximum number of recipes in the cache. Finding and matching takes a third longer without it (2026-11-27). */
const MAX_CACHED = 1_000;

/** Reads, lists and searches functions, joined with their counters. */
export function createReadMethods(parts: LifecycleDependencies, meaning: MeaningSearch): ReadMethods {
  const { scope, store, index, settings, clock } = parts;

  const one = async (found: Parameters<typeof store.withEvidence>[0][number]): Promise<FunctionMemory> =>
    firstOf(await store.withEvidence([found]));

  /** The index partitions of one agent, or of every agent. */
  async function kindsOf(trust: FunctionTrust | "any"): Promise<string[]> {
    const { agentId, userId } = scope;
    const agents = agentId === EVERY_AGENT ? await index.call("agents", { userId }) : [agentId];
    return agents.flatMap((each) => partitionsToSearch({ agentId: each, userId }, trust));
  }

  /** Recipes as they were read, by path; the least recently used is dropped first. */
  const cached = new Map<string, { hash: string; filed: LocatedFunction }>();

  /** The functions in these files. A file that has the hash it had before is not read again. */
  async function readFiles(
    files: readonly (IndexedFile & { fit: number })[],
  ): Promise<{ function: StoredFunction; fit: number }[]> {
    const changed = files.filter(({ path, hash }) => cached.get(path)?.hash !== hash);
    const read =
      changed.length > 0
        ? await index.call(
            "read",
            changed.map(({ path }) => path),
          )
        : [];
    return files.flatMap(({ path, hash, fit }) => {
      const known = cached.get(path);
      const filed = known?.hash === hash ? known.filed : read.find((one) => one.path === path);
      if (filed === undefined) return [];
      cached.delete(path);
      cached.set(path, { hash, filed });
      const [oldest] = cached.keys();
      if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
      return [{ function: filed.function, fit }];
    });
  }

  /** The minimum fit that is configured; 1 is the calibrated one. */
  async function threshold(): Promise<number> {
    const { searchThreshold } = await settings();
    return searchThreshold === "auto" ? 1 : searchThreshold;
  }

  return {
    async loadFunction(id) {
      return one((await store.find(scope, id)).function);
    },
    async findByName(name) {
      const found = await store.findByName(scope, name);
      return found && one(found.function);
    },
    async listFunctions({ sort = "updated", cursor, ...query }) {
      const after = cursor === undefined ? undefined : fromCursor(cursor);
      if (after && after.sort !== sort)
        throw new InvalidArgsError("This cursor belongs to another sort order.");
      const { items, total, next } = await index.call("page", { scope, sort, after, ...query });
      return {
        items: await store.withEvidence(items),
        nextCursor: next && toCursor({ sort, ...next }),
        total,
      };
    },
    async queryFunctions(
      query,
      { limit = DEFAULT_LIMIT, explain = false, trust = "verified", skills = [], strictness, signal } = {},
    ) {
      if (query.trim() === "") return { items: [], rejected: [] };
      const kinds = await kindsOf(trust);
      const near = await meaning.nearest(query, { limit: DEPTH, filter: { kinds } }, signal);
      signal?.throwIfAborted();
      const { items, rejected } = await index.call("search", {
        kinds,
        query,
        meaning: near,
        skills,
        limit,
        threshold: (await threshold()) * (strictness ?? 1),
        ...(strictness !== undefined && { listed: 1 }),
        now: clock().toISOString(),
      });
      const functions = await store.withEvidence(items.map((item) => item.function));
      return {
        items: functions.flatMap((found, index) => {
          const item = items[index];
          if (!item) return [];
          const { score, matchReason } = item;
          return [{ function: found, score, rank: index + 1, matchReason, explanation: explanationOf(item) }];
        }),
        rejected: explain ? rejected : [],
      };
    },
    async nearestRecipes(query, limit) {
      if (query.trim() === "") return [];
      const files = await index.call("nearestRecipes", {
        kinds: await kindsOf("verified"),
        query,
        embedded: await meaning.embedQuery(query),
        skills: [],
        limit,
        threshold: await threshold(),
        now: clock().toISOString(),
      });
      const found = (await readFiles(files)).filter(({ function: one }) => isOf(scope, one));
      const functions = await store.withEvidence(found.map((one) => one.function));
      return functions.map((one, index) => ({ function: one, fit: found[index]?.fit ?? 0 }));
    },
  };
}

function toCursor(place: Cursor): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Throws `InvalidArgsError` for a cursor that `toCursor` did not create. */
function fromCursor(cursor: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (error) {
    throw new InvalidArgsError("This cursor does not belong to this list.", { cause: error });
  }
}
