import { MemoryAnswer } from "@metahuman/core/contract/answers";
import { RunAnswerRequest } from "@metahuman/core/contract/http";
import { MemoryParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Answer a question of the reflector; the answer becomes a memory",
    needs: "canWriteMemory",
    input: { params: MemoryParams, body: RunAnswerRequest },
    output: MemoryAnswer,
    status: 201,
  },
  async ({ params, body, caller }) => ({
    memory: await caller.profile.proposals.answer(params.id, body.text),
  }),
);
