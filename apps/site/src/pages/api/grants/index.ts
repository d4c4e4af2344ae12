import { grantReach } from "@metahuman/core/contract/grant-reach";
import { GrantPage } from "@metahuman/core/contract/http";
import { listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Standing permissions",
    needs: "canReadRuns",
    input: { query: listQuery("newest") },
    output: GrantPage,
  },
  async ({ query, caller }) =>
    paginate(await caller.profile.approvals.grants(), query, (grant) => [
      grant.skill,
      grantReach(grant.skill, grant),
    ]),
);
