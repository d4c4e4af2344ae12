import { Feedback } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Rate a run's answer as useful or not; the latest rating counts",
    needs: "canUseSkills",
    input: { params: RunParams, body: Feedback },
    output: Run,
  },
  ({ params, body, caller }) => caller.profile.operator.giveFeedback(params.id, omitUndefined(body)),
);
