import { Feedback } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { omitUndefined } from "../../../../server/api/omit-undefined.ts";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Say whether a run's answer was useful; the last word counts",
    needs: "canUseSkills",
    input: { params: RunParams, body: Feedback },
    output: Run,
  },
  ({ params, body, caller }) => caller.profile.operator.giveFeedback(params.id, omitUndefined(body)),
);
