import { z } from "zod";
import { MemoriesCreated, MemoryPage } from "@metahuman/core/contract/answers";
import { MemoryCreate } from "@metahuman/core/contract/http";
import { MemoryType } from "@metahuman/core/contract/memory";
import { given } from "../../../server/api/given.ts";
import { commaList, listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Memories, newest first; with ?query= those that hold its words",
    needs: "canReadMemory",
    takes: {
      query: listQuery("newest").extend({
        types: commaList(MemoryType).optional(),
        type: MemoryType.optional(),
        tag: z.string().max(64).optional(),
      }),
    },
    answer: MemoryPage,
  },
  ({ query: { sort: _newest, type, types, ...query }, caller }) =>
    caller.profile.memory.list(
      given({ ...query, types: type === undefined ? types : [type, ...(types ?? [])] }),
    ),
);

/** What a person writes down is theirs, and trusted. */
const byHand = { source: { kind: "user" }, trust: "trusted" } as const;

export const POST = route(
  {
    summary: "Write down one memory, or up to 1 000 at once, all or nothing",
    needs: "canWriteMemory",
    takes: { body: MemoryCreate },
    answer: MemoriesCreated,
    status: 201,
  },
  async ({ body, caller: { profile } }) =>
    Array.isArray(body)
      ? { memories: await profile.memory.addMany(body, byHand) }
      : { memory: await profile.memory.add(body, byHand) },
);
