import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

export const POST = route(
  {
    summary: "Resume an interrupted run",
    needs: "canUseOperator",
    input: { params: RunParams },
    output: Run,
  },
  ({ params, caller }) => caller.profile.operator.resume(params.id, startOptions(caller)),
);
