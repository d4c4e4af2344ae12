import { z } from "zod";
import { Approval } from "@metahuman/core/contract/approval";
import { ApprovalPage } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Calls and functions that wait for approval; with ?status=, decided calls too",
    needs: "canReadRuns",
    input: {
      query: listQuery("newest").extend({
        status: z.enum([...Approval.shape.status.options, "all"]).default("pending"),
      }),
    },
    output: ApprovalPage,
  },
  async ({ query: { sort: _newest, status, ...query }, caller: { profile } }) => {
    const calls = await profile.approvals.list(
      omitUndefined({ ...query, status: status === "all" ? undefined : status }),
    );
    const isFirst = query.cursor === undefined && query.query === undefined;
    const functions =
      isFirst && (status === "pending" || status === "all") ? await profile.functionApprovals.list() : [];
    return { ...calls, ...(functions.length > 0 && { functions }) };
  },
);
