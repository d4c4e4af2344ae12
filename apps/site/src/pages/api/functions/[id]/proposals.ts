import { z } from "zod";
import { FunctionProposalPage, ProposalDecided } from "@metahuman/core/contract/answers";
import { EVERY_AGENT, FunctionProposal, ProposalDecision } from "@metahuman/core/contract/function";
import { functionActor } from "../../../../server/api/caller.ts";
import { FunctionParams } from "../../../../server/api/params.ts";
import { listQuery, paginate } from "../../../../server/api/paging.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The proposals for a function, newest first",
    needs: "canReadMemory",
    input: {
      params: FunctionParams,
      query: listQuery("newest").extend(z.object({ status: FunctionProposal.shape.status.optional() }).shape),
    },
    output: FunctionProposalPage,
  },
  async ({ params, query, caller }) =>
    paginate(
      await caller.profile.functions.of(EVERY_AGENT).listProposals(params.id, query.status),
      query,
      ({ reason, createdBy }) => [reason, createdBy],
    ),
);

export const POST = route(
  {
    summary: "Accept or reject a proposal; one for a verified function is verified first",
    needs: "canManageFunctions",
    input: { params: FunctionParams, body: ProposalDecision },
    output: ProposalDecided,
  },
  async ({ params, body: { id, decision, reason }, caller }) => {
    const functions = caller.profile.functions.of(EVERY_AGENT);
    const actor = functionActor(caller);
    if (decision === "accept") await functions.acceptProposal(params.id, id, actor, reason);
    else await functions.rejectProposal(params.id, id, actor, reason);
    const [changed, proposals] = await Promise.all([
      functions.loadFunction(params.id),
      functions.listProposals(params.id),
    ]);
    const proposal = proposals.find((each) => each.id === id);
    if (!proposal) throw new Error("a decided proposal is not listed");
    return { function: changed, proposal };
  },
);
