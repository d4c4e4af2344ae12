import { Approval } from "@metahuman/core/contract/approval";
import { ApprovalRequest } from "@metahuman/core/contract/http";
import { ApprovalParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "What a call would do, exactly",
    needs: "canReadRuns",
    input: { params: ApprovalParams },
    output: Approval,
  },
  ({ params, caller }) => caller.profile.approvals.get(params.id),
);

export const POST = route(
  {
    summary: "Allow a call once, for its run or always, or deny it with a reason",
    needs: "canDecideApprovals",
    input: { params: ApprovalParams, body: ApprovalRequest },
    output: Approval,
  },
  ({ params, body: { decision, reason }, caller }) =>
    caller.profile.operator.decide(params.id, decision, reason),
);
