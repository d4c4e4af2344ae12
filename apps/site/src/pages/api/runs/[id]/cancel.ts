import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  { summary: "Stop a run", needs: "canUseOperator", input: { params: RunParams }, output: Run },
  ({ params, caller }) => caller.profile.operator.cancel(params.id),
);
