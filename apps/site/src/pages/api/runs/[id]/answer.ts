import { RunAnswerRequest } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Answer the question that a run waits on",
    needs: "canUseOperator",
    input: { params: RunParams, body: RunAnswerRequest },
    output: Run,
  },
  ({ params, body, caller }) => caller.profile.operator.answer(params.id, body.text),
);
