import { AgentStopAnswer } from "@metahuman/core/contract/agents";
import { AgentParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Stop what an agent is doing; it goes on from there the next time",
    needs: "canWriteMemory",
    input: { params: AgentParams },
    output: AgentStopAnswer,
  },
  async ({ params, caller }) => ({
    run: await caller.profile.agents.stop(params.name, { surface: startOptions(caller).surface }),
  }),
);
