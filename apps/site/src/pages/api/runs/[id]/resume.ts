import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/surface.ts";

export const POST = route(
  {
    summary: "Go on with an interrupted run",
    needs: "canUseOperator",
    takes: { params: RunParams },
    answer: Run,
  },
  ({ params, caller }) => caller.profile.operator.resume(params.id, startOptions(caller)),
);
