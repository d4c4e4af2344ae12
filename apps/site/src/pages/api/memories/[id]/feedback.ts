import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { Feedback } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { MemoryParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Rate a memory as useful or not; this changes its importance by one step, and with it its rank in recall",
    needs: "canWriteMemory",
    input: { params: MemoryParams, body: Feedback },
    output: MemoryAnswer,
  },
  async ({ params, body, caller }) => ({
    memory: await caller.profile.memory.feedback(params.id, omitUndefined(body)),
  }),
);
