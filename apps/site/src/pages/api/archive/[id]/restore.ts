import { z } from "zod";
import { RestoredAnswer } from "@metahuman/core/contract/answers";
import { ArchiveParams } from "../../../../server/api/params.ts";
import { Flag } from "../../../../server/api/paging.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Restore a deleted or overwritten item to its original place; with replace, a file that is there now is archived first",
    needs: "canWriteMemory",
    input: { params: ArchiveParams, query: z.object({ replace: Flag.optional() }) },
    output: RestoredAnswer,
  },
  ({ params, query, caller }) =>
    caller.profile.archive.restore(params.id, { replace: query.replace === true }),
);
