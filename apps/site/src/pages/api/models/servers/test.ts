import { ModelServerTest, ModelServerTestResult } from "@metahuman/core/contract/model-servers";
import { modelControlFor } from "../../../../server/api/caller.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "List the models of a server before it is saved",
    needs: "canAdminister",
    input: { body: ModelServerTest },
    output: ModelServerTestResult,
  },
  ({ body, brain, caller, request }) => modelControlFor(brain, caller).testServer(body, request.signal),
);
