import { ProposalAnswer, ProposalDecision } from "@metahuman/core/contract/answers";
import { MemoryParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Accept a proposed fact as a curated memory, or move it to the archive",
    needs: "canWriteMemory",
    input: { params: MemoryParams, body: ProposalDecision },
    output: ProposalAnswer,
  },
  async ({ params: { id }, body, caller: { profile } }) =>
    body.decision === "keep"
      ? { memory: await profile.proposals.keep(id) }
      : { archived: await profile.proposals.drop(id) },
);
