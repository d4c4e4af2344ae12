import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { ArchiveParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Restore a memory from the archive, by its archive id",
    needs: "canWriteMemory",
    input: { params: ArchiveParams },
    output: MemoryAnswer,
  },
  async ({ params, caller }) => ({ memory: await caller.profile.memory.restore(params.id) }),
);
