import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A run with its scratchpad, usage and context explanation",
    needs: "canReadRuns",
    takes: { params: RunParams },
    answer: Run,
  },
  ({ params, caller }) => caller.profile.runs.get(params.id),
);
