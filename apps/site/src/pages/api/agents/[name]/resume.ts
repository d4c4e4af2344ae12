import { AgentAnswer } from "@metahuman/core/contract/agents";
import { AgentParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Resume a paused agent's schedule",
    needs: "canWriteMemory",
    input: { params: AgentParams },
    output: AgentAnswer,
  },
  async ({ params, caller }) => ({
    agent: await caller.profile.agents.setPaused(params.name, false, startOptions(caller)),
  }),
);
