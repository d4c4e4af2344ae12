import { AgentRunAnswer, AgentRunRequest } from "@metahuman/core/contract/agents";
import { AgentParams } from "../../../../server/api/params.ts";
import { Reply } from "../../../../server/api/reply.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/surface.ts";

export const POST = route(
  {
    summary: "Let an agent work now, whatever its schedule; with wait, answer when it has ended",
    needs: "canWriteMemory",
    takes: { params: AgentParams, body: AgentRunRequest.prefault({}) },
    answer: AgentRunAnswer,
    status: 202,
  },
  async ({ params, body, caller, request }) => {
    const { agents } = caller.profile;
    const run = await agents.run(params.name, { trigger: "person", surface: startOptions(caller).surface });
    if (!body.wait) return { run };
    return new Reply({ run: await agents.settled(run.id, request.signal) }, { status: 200 });
  },
);
