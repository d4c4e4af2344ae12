import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { ArchiveParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Bring a forgotten memory back, by the id under which the archive holds it",
    needs: "canWriteMemory",
    input: { params: ArchiveParams },
    output: MemoryAnswer,
  },
  async ({ params, caller }) => ({ memory: await caller.profile.memory.restore(params.id) }),
);
