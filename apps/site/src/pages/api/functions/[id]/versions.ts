import { EVERY_AGENT, wordingsOf } from "@metahuman/core/contract/function";
import { FunctionVersionPage } from "@metahuman/core/contract/answers";
import { FunctionParams } from "../../../../server/api/params.ts";
import { listQuery, paginate } from "../../../../server/api/paging.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "Every version of a function with its content, and the wordings it was taught or refused for, newest first",
    needs: "canReadMemory",
    input: { params: FunctionParams, query: listQuery("newest") },
    output: FunctionVersionPage,
  },
  async ({ params: { id }, query, caller }) => {
    const functions = caller.profile.functions.of(EVERY_AGENT);
    const [versions, current] = await Promise.all([functions.versions(id), functions.loadFunction(id)]);
    const templates = wordingsOf(current);
    return {
      ...paginate(versions, query, ({ by, change }) => [by, change]),
      ...(templates.length > 0 && { templates }),
    };
  },
);
