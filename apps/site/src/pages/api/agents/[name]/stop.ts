import { AgentStopAnswer } from "@metahuman/core/contract/agents";
import { AgentParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Stop an agent's run; the next run continues from there",
    needs: "canWriteMemory",
    input: { params: AgentParams },
    output: AgentStopAnswer,
  },
  async ({ params, caller }) => ({
    run: await caller.profile.agents.stop(params.name, { surface: startOptions(caller).surface }),
  }),
);
