import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { FunctionVersionPage } from "@metahuman/core/contract/answers";
import { FunctionParams } from "../../../../server/api/params.ts";
import { listQuery, pageOf } from "../../../../server/api/paging.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Every version of a function with its content, newest first",
    needs: "canReadMemory",
    input: { params: FunctionParams, query: listQuery("newest") },
    output: FunctionVersionPage,
  },
  async ({ params, query, caller }) =>
    pageOf(await caller.profile.functions.of(EVERY_AGENT).versions(params.id), query, ({ by, change }) => [
      by,
      change,
    ]),
);
