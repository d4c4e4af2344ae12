import { z } from "zod";
import { operatorPending } from "@metahuman/boot/answers";
import { callDirectly } from "@metahuman/boot/direct-call";
import { CurationAnswer, CurationBody } from "@metahuman/core/contract/curation";
import { OperatorPending } from "@metahuman/core/contract/http";
import { Reply, route } from "../../../server/api/route.ts";
import { startOptions } from "../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Generate or improve a function, verify it and propose it; this is a run",
    needs: "canManageFunctions",
    input: { body: CurationBody },
    output: z.union([CurationAnswer, OperatorPending]),
  },
  async ({ body: { background, ...args }, caller, request }) => {
    const action = { tool: "function_curate", args };
    const goal = `Curate the function ${args.functionName}: ${args.userRequest}`;
    const { operator } = caller.profile;
    if (background) {
      const run = await operator.start({ goal }, { ...startOptions(caller), direct: action });
      return new Reply(operatorPending(run), { status: 202 });
    }
    const called = await callDirectly(operator, goal, action, startOptions(caller), request.signal);
    if (called.kind === "waiting") return new Reply(operatorPending(called.run), { status: 202 });
    return CurationAnswer.parse({ runId: called.run.id, ...called.outputs });
  },
);
