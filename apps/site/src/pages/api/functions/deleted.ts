import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { DeletedFunctionPage } from "@metahuman/core/contract/answers";
import { listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Deleted functions that can be restored, newest first",
    needs: "canReadMemory",
    input: { query: listQuery("newest") },
    output: DeletedFunctionPage,
  },
  async ({ query, caller }) =>
    paginate(await caller.profile.functions.of(EVERY_AGENT).listDeleted(), query, ({ title }) => [title]),
);
