import { z } from "zod";
import { AuditPage, AuditQuery } from "@metahuman/core/contract/audit";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The audit log, newest first",
    needs: "canReadAudit",
    input: {
      query: z.object({ ...AuditQuery.shape, ...listQuery("newest").shape }),
    },
    output: AuditPage,
  },
  ({ query: { sort: _newest, ...query }, caller, request }) =>
    caller.profile.audit.search(omitUndefined(query), request.signal),
);
