import { GrantPage } from "@metahuman/core/contract/http";
import { listQuery, pageOf } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Standing permissions",
    needs: "canReadRuns",
    takes: { query: listQuery("newest") },
    answer: GrantPage,
  },
  async ({ query, caller }) =>
    pageOf(await caller.profile.approvals.grants(), query, ({ skill, pathPrefix, host }) => [
      skill,
      pathPrefix,
      host,
    ]),
);
