import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { Feedback } from "@metahuman/core/contract/http";
import { omitUndefined } from "../../../../server/api/omit-undefined.ts";
import { MemoryParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Say whether a memory was of use: its importance moves by a step, and its place in recall with it",
    needs: "canWriteMemory",
    input: { params: MemoryParams, body: Feedback },
    output: MemoryAnswer,
  },
  async ({ params, body, caller }) => ({
    memory: await caller.profile.memory.feedback(params.id, omitUndefined(body)),
  }),
);
