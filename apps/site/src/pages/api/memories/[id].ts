import { ArchivedAnswer, MemoryAnswer, MemoryDetail } from "@metahuman/core/contract/answers";
import { MemoryEdit } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { MemoryParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "One memory, how often it was used, and its links",
    needs: "canReadMemory",
    input: { params: MemoryParams },
    output: MemoryDetail,
  },
  async ({ params: { id }, caller }) => {
    const { memory } = caller.profile;
    const [record, uses, linked] = await Promise.all([memory.get(id), memory.usesOf(id), memory.linked(id)]);
    return { memory: record, uses, linked };
  },
);

const edit = route(
  {
    summary: "Change a memory's content, tags, importance or pin; omitted fields stay unchanged",
    needs: "canWriteMemory",
    input: { params: MemoryParams, body: MemoryEdit },
    output: MemoryAnswer,
  },
  async ({ params, body, caller }) => ({
    memory: await caller.profile.memory.edit(params.id, omitUndefined(body)),
  }),
);

export { edit as PATCH, edit as PUT };

export const DELETE = route(
  {
    summary: "Move a memory to the archive",
    needs: "canWriteMemory",
    input: { params: MemoryParams },
    output: ArchivedAnswer,
  },
  async ({ params, caller }) => ({ archived: await caller.profile.memory.forget(params.id) }),
);
