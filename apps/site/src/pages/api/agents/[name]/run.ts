import { AgentRunAnswer, AgentRunRequest } from "@metahuman/core/contract/agents";
import { AgentParams } from "../../../../server/api/params.ts";
import { Reply, route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Run an agent now; with wait=true, respond when the run has ended",
    needs: "canWriteMemory",
    input: { params: AgentParams, body: AgentRunRequest.prefault({}) },
    output: AgentRunAnswer,
    status: 202,
  },
  async ({ params, body, caller, request }) => {
    const { agents } = caller.profile;
    const run = await agents.run(params.name, { trigger: "person", surface: startOptions(caller).surface });
    if (!body.wait) return { run };
    return new Reply({ run: await agents.settled(run.id, request.signal) }, { status: 200 });
  },
);
