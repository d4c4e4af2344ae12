import { RestoredAnswer } from "@metahuman/core/contract/answers";
import { ArchiveParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Put something deleted back where it was",
    needs: "canWriteMemory",
    input: { params: ArchiveParams },
    output: RestoredAnswer,
  },
  async ({ params, caller }) => ({ restored: await caller.profile.archive.restore(params.id) }),
);
