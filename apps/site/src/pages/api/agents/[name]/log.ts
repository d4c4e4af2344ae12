import { z } from "zod";
import { AgentRunId } from "@metahuman/core/contract/agents";
import { AgentLogPage } from "@metahuman/core/contract/answers";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { AgentParams } from "../../../../server/api/params.ts";
import { listQuery } from "../../../../server/api/paging.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The log of an agent, newest first; with ?runId=, of one run",
    needs: "canReadRuns",
    input: {
      params: AgentParams,
      query: z.object({
        ...listQuery("newest").shape,
        runId: AgentRunId.optional(),
      }),
    },
    output: AgentLogPage,
  },
  ({ params, query: { sort: _newest, ...query }, caller }) =>
    caller.profile.agents.log(params.name, omitUndefined(query)),
);
