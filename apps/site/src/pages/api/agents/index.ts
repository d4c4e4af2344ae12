import { AgentPage } from "@metahuman/core/contract/answers";
import { listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The agents that work in the background, with schedule, last run and next run",
    needs: "canReadRuns",
    input: { query: listQuery("name") },
    output: AgentPage,
  },
  async ({ query, caller }) =>
    paginate(await caller.profile.agents.list(), query, ({ name, title, about }) => [name, title, about]),
);
