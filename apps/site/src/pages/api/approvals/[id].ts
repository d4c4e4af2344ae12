import { Approval } from "@metahuman/core/contract/approval";
import { FunctionApproval } from "@metahuman/core/contract/function-approval";
import { ApprovalRequest } from "@metahuman/core/contract/http";
import { FunctionId } from "@metahuman/core/contract/ids";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { z } from "zod";
import { functionActor } from "../../../server/api/caller.ts";
import { ApprovalParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

const Waiting = z.union([Approval, FunctionApproval]);

export const GET = route(
  {
    summary: "One approval: what the call would do, or the function to approve",
    needs: "canReadRuns",
    input: { params: ApprovalParams },
    output: Waiting,
  },
  ({ params: { id }, caller: { profile } }) =>
    isFunction(id) ? profile.functionApprovals.get(id) : profile.approvals.get(id),
);

export const POST = route(
  {
    summary:
      "Allow a call once, for its run or always, or deny it with a reason; approve or reject a function",
    needs: "canDecideApprovals",
    input: { params: ApprovalParams, body: ApprovalRequest },
    output: Waiting,
  },
  ({ params: { id }, body: { decision, reason }, caller }) => {
    const { profile } = caller;
    if (!isFunction(id)) return profile.operator.decide(id, decision, reason);
    if (!caller.policy.canManageFunctions)
      throw new ForbiddenError("You may not approve functions in this profile.");
    return profile.functionApprovals.decide(id, decision, functionActor(caller), reason);
  },
);

function isFunction(id: string): boolean {
  return FunctionId.safeParse(id).success;
}
