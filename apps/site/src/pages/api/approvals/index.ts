import { z } from "zod";
import { Approval } from "@metahuman/core/contract/approval";
import { ApprovalPage } from "@metahuman/core/contract/http";
import { omitUndefined } from "../../../server/api/omit-undefined.ts";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Calls that wait for a person; with another status, or all of them",
    needs: "canReadRuns",
    input: {
      query: listQuery("newest").extend({
        status: z.enum([...Approval.shape.status.options, "all"]).default("pending"),
      }),
    },
    output: ApprovalPage,
  },
  ({ query: { sort: _newest, status, ...query }, caller }) =>
    caller.profile.approvals.list(omitUndefined({ ...query, status: status === "all" ? undefined : status })),
);
