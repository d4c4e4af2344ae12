import { z } from "zod";
import { AuditPage, AuditQuery } from "@metahuman/core/contract/audit";
import { given } from "../../../server/api/given.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "What was decided and done, newest first",
    needs: "canReadAudit",
    takes: {
      query: z.object({ ...AuditQuery.shape, limit: z.coerce.number().int().min(1).max(500).default(50) }),
    },
    answer: AuditPage,
  },
  ({ query, caller, request }) => caller.profile.audit.search(given(query), request.signal),
);
