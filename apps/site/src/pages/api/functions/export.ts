import { z } from "zod";
import { FunctionExport } from "@metahuman/core/contract/function-exchange";
import { FunctionId } from "@metahuman/core/contract/ids";
import { commaList } from "../../../server/api/paging.ts";
import { Reply, route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Export functions as a file for another profile; all, or those in ?ids=",
    needs: "canExport",
    input: { query: z.object({ ids: commaList(FunctionId).optional() }) },
    output: FunctionExport,
  },
  async ({ query: { ids }, caller }) => {
    const exported = await caller.profile.functionExchange.export(ids);
    const [only] = exported.functions;
    const name = ids?.length === 1 && only ? only.name : `functions-${exported.exportedAt.slice(0, 10)}`;
    const headers = { "Content-Disposition": `attachment; filename="${name}.json"` };
    return new Reply(exported, { status: 200, headers });
  },
);
