import { z } from "zod";
import { FunctionExport } from "@metahuman/core/contract/function-exchange";
import { FunctionId } from "@metahuman/core/contract/ids";
import { commaList } from "../../../server/api/paging.ts";
import { Reply } from "../../../server/api/reply.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Functions as a file that another profile can take in; all of them, or those that ?ids= names",
    needs: "canExport",
    takes: { query: z.object({ ids: commaList(FunctionId).optional() }) },
    answer: FunctionExport,
  },
  async ({ query: { ids }, caller }) => {
    const exported = await caller.profile.functionExchange.export(ids);
    const [only] = exported.functions;
    const name = ids?.length === 1 && only ? only.name : `functions-${exported.exportedAt.slice(0, 10)}`;
    const headers = { "Content-Disposition": `attachment; filename="${name}.json"` };
    return new Reply(exported, { status: 200, headers });
  },
);
