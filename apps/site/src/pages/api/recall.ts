import { z } from "zod";
import { RecallAnswer } from "@metahuman/core/contract/http";
import { MemoryType, RecallQuery } from "@metahuman/core/contract/memory";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { ContextPairs, Flag, commaList } from "../../server/api/paging.ts";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "Memories that match a query, by keywords and by vectors, best first",
    needs: "canReadMemory",
    input: {
      query: z.object({
        query: RecallQuery.shape.query,
        types: commaList(MemoryType).optional(),
        tags: commaList(z.string().max(64)).optional(),
        entities: commaList(z.string().max(128)).optional(),
        context: ContextPairs.optional(),
        since: RecallQuery.shape.since,
        until: RecallQuery.shape.until,
        limit: z.coerce.number().int().min(1).max(200).optional(),
        explain: Flag.optional(),
        orNearest: Flag.optional(),
      }),
    },
    output: RecallAnswer,
  },
  async ({ query, caller, request }) => ({
    items: await caller.profile.memory.recall(omitUndefined(query), request.signal),
  }),
);
