import { z } from "zod";
import { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { operatorPending } from "@metahuman/boot/answers";
import { RunParams } from "../../../../server/api/params.ts";
import { Reply, route } from "../../../../server/api/route.ts";
import { startedRun } from "../../../../server/api/run-events.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary:
      "Start a new run that continues from the steps of one that stopped, failed, got stuck or was cancelled",
    needs: "canUseSkills",
    input: { params: RunParams, query: z.object({ background: z.stringbool().optional() }) },
    output: z.union([OperatorAnswer, OperatorPending]),
    events: true,
  },
  async ({ params, query, ...context }) => {
    const { caller } = context;
    const run = await caller.profile.operator.continueRun(params.id, startOptions(caller));
    return query.background ? new Reply(operatorPending(run), { status: 202 }) : startedRun(run, context);
  },
);
