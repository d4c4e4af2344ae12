import { z } from "zod";
import { FunctionImport, FunctionImportReport } from "@metahuman/core/contract/function-exchange";
import { functionActor } from "../../../server/api/caller.ts";
import { Flag } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Import exported functions, each as a draft; with ?preview=true, only report what would happen",
    needs: "canManageFunctions",
    input: { query: z.object({ preview: Flag.default(false) }), body: FunctionImport },
    output: FunctionImportReport,
  },
  ({ query, body, caller }) =>
    caller.profile.functionExchange.import(body, functionActor(caller), { apply: !query.preview }),
);
