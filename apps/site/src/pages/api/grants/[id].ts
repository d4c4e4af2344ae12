import { GrantParams } from "../../../server/api/params.ts";
import { Nothing, route } from "../../../server/api/route.ts";

export const DELETE = route(
  {
    summary: "Revoke a standing permission",
    needs: "canDecideApprovals",
    input: { params: GrantParams },
    output: Nothing,
  },
  ({ params, caller }) => caller.profile.approvals.revokeGrant(params.id),
);
