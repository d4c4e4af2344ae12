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
import { searchedKinds } from "../index/search-kind.ts";
import { explanationOf } from "../retrieval/rank-functions.ts";
import { DEPTH } from "../retrieval/search-functions.ts";
import type { LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

const USUAL_LIMIT = 3;

const Cursor = z.strictObject({
  sort: FunctionSort,
  key: z.union([z.string(), z.number()]),
  id: z.string(),
});
type Cursor = z.infer<typeof Cursor>;

type Reading = Pick<FunctionsPort, "loadFunction" | "findByName" | "listFunctions" | "queryFunctions">;

/** Reads, lists and searches functions, joined with their counters. */
export function createReading(parts: LifecycleDependencies, meaning: MeaningSearch): Reading {
  const { scope, store, index, settings, clock } = parts;

  const one = async (found: Parameters<typeof store.withEvidence>[0][number]): Promise<FunctionMemory> =>
    firstOf(await store.withEvidence([found]));

  /** The index partitions of one agent, or of every agent. */
  async function kindsOf(trust: FunctionTrust | "any"): Promise<string[]> {
    const { agentId, userId } = scope;
    const agents = agentId === EVERY_AGENT ? await index.call("agents", { userId }) : [agentId];
    return agents.flatMap((each) => searchedKinds({ agentId: each, userId }, trust));
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
      if (after && after.sort !== sort) throw new InvalidArgsError("This cursor belongs to another order.");
      const { items, total, next } = await index.call("page", { scope, sort, after, ...query });
      return {
        items: await store.withEvidence(items),
        nextCursor: next && toCursor({ sort, ...next }),
        total,
      };
    },
    async queryFunctions(
      query,
      { limit = USUAL_LIMIT, explain = false, trust = "verified", skills = [], strictness, signal } = {},
    ) {
      if (query.trim() === "") return { items: [], rejected: [] };
      const kinds = await kindsOf(trust);
      const near = await meaning.nearest(query, { limit: DEPTH, filter: { kinds } }, signal);
      signal?.throwIfAborted();
      const { searchThreshold } = await settings();
      const { items, rejected } = await index.call("search", {
        kinds,
        query,
        meaning: near,
        skills,
        limit,
        threshold: (searchThreshold === "auto" ? 1 : searchThreshold) * (strictness ?? 1),
        ...(strictness !== undefined && { listed: 1 }),
        now: clock().toISOString(),
      });
      const functions = await store.withEvidence(items.map((item) => item.function));
      return {
        items: functions.flatMap((found, at) => {
          const item = items[at];
          if (!item) return [];
          const { score, matchReason } = item;
          return [{ function: found, score, rank: at + 1, matchReason, explanation: explanationOf(item) }];
        }),
        rejected: explain ? rejected : [],
      };
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
    throw new InvalidArgsError("This is no cursor of this list.", { cause: error });
  }
}
