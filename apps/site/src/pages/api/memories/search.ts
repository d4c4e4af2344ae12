import { z } from "zod";
import { MemorySearchAnswer } from "@metahuman/core/contract/answers";
import { MemoryRecord, MemorySource, MemoryTrust, MemoryType } from "@metahuman/core/contract/memory";
import { commaList } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";
import { searchMemory } from "../../../server/memory-search.ts";

export const GET = route(
  {
    summary: "Memories and tasks that fit a query or have its words; facts come before requests and calls",
    needs: "canReadMemory",
    input: {
      query: z.object({
        query: z.string().trim().min(1).max(2_000),
        types: commaList(MemoryType).optional(),
        since: MemoryRecord.shape.timestamp.optional(),
        tag: z.string().max(64).optional(),
        source: MemorySource.shape.kind.optional(),
        trust: MemoryTrust.optional(),
      }),
    },
    output: MemorySearchAnswer,
  },
  ({ query, caller, request }) => searchMemory(caller.profile, query, request.signal),
);
