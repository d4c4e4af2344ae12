import { z } from "zod";
import { operatorPending } from "@metahuman/boot/answers";
import { callDirectly } from "@metahuman/boot/direct-call";
import { CurationAnswer, CurationRequest } from "@metahuman/core/contract/curation";
import { OperatorPending } from "@metahuman/core/contract/http";
import { Reply } from "../../../server/api/reply.ts";
import { route } from "../../../server/api/route.ts";
import { startOptions } from "../../../server/api/surface.ts";

export const POST = route(
  {
    summary: "Have a function written or improved: gathered, written, verified, proposed; a run of its own",
    needs: "canManageFunctions",
    takes: { body: CurationRequest },
    answer: z.union([CurationAnswer, OperatorPending]),
  },
  async ({ body, caller, request }) => {
    const action = { tool: "function_curate", args: body };
    const goal = `Curate the function ${body.functionName}: ${body.userRequest}`;
    const { operator } = caller.profile;
    const called = await callDirectly(operator, goal, action, startOptions(caller), request.signal);
    if (called.kind === "waiting") return new Reply(operatorPending(called.run), { status: 202 });
    return CurationAnswer.parse({ runId: called.run.id, ...called.outputs });
  },
);
