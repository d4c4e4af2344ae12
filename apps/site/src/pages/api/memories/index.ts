import { z } from "zod";
import { MemoriesArchived, MemoriesCreated, MemoryPage } from "@metahuman/core/contract/answers";
import { MemoryCreate } from "@metahuman/core/contract/http";
import { MemoryRecord, MemorySource, MemoryTrust, MemoryType } from "@metahuman/core/contract/memory";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { commaList, listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

/** The filters of the list and the purge. */
const Narrowing = z.object({
  types: commaList(MemoryType).optional(),
  type: MemoryType.optional(),
  tag: z.string().max(64).optional(),
  trust: MemoryTrust.optional(),
  source: MemorySource.shape.kind.optional(),
  runId: z.string().max(128).optional(),
  conversationId: z.string().max(128).optional(),
  since: MemoryRecord.shape.timestamp.optional(),
  until: MemoryRecord.shape.timestamp.optional(),
});

export const GET = route(
  {
    summary: "Memories, newest first by default; with ?query=, those that match its words",
    needs: "canReadMemory",
    input: {
      query: listQuery("newest", "oldest").extend({
        ...Narrowing.shape,
        ids: commaList(MemoryRecord.shape.id).optional(),
      }),
    },
    output: MemoryPage,
  },
  ({ query: { type, types, ...query }, caller }) =>
    caller.profile.memory.list(
      omitUndefined({ ...query, types: type === undefined ? types : [type, ...(types ?? [])] }),
    ),
);

/** A memory that a person writes is trusted. */
const byHand = { source: { kind: "user" }, trust: "trusted" } as const;

export const POST = route(
  {
    summary: "Store one memory, or up to 1 000 at once, all or none",
    needs: "canWriteMemory",
    input: { body: MemoryCreate },
    output: MemoriesCreated,
    status: 201,
  },
  async ({ body, caller: { profile } }) =>
    Array.isArray(body)
      ? { memories: await profile.memory.addMany(body, byHand) }
      : { memory: await profile.memory.add(body, byHand) },
);

export const DELETE = route(
  {
    summary: "Move all memories from one source, run or conversation to the archive",
    needs: "canWriteMemory",
    input: {
      query: Narrowing.omit({ type: true }).refine(
        ({ source, runId, conversationId }) => source ?? runId ?? conversationId,
        "say which source, runId or conversationId",
      ),
    },
    output: MemoriesArchived,
  },
  async ({ query, caller, request }) => ({
    archived: await caller.profile.memory.forgetAll(omitUndefined(query), request.signal),
  }),
);
