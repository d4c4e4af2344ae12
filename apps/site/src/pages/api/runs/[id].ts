import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A run with its scratchpad, usage, explained context, and its model calls",
    needs: "canReadRuns",
    input: { params: RunParams },
    output: Run,
  },
  ({ params, caller }) => caller.profile.runs.inspect(params.id),
);
