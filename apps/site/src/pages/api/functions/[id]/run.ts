import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { z } from "zod";
import { operatorPending } from "@metahuman/boot/answers";
import { callDirectly } from "@metahuman/boot/direct-call";
import { FunctionRunAnswer } from "@metahuman/core/contract/curation";
import { OperatorPending } from "@metahuman/core/contract/http";
import { FunctionParams } from "../../../../server/api/params.ts";
import { Reply, route } from "../../../../server/api/route.ts";
import { startOptions } from "../../../../server/api/caller.ts";

/** People may run drafts. The calls of the code are authorized like those of the operator. */
export const POST = route(
  {
    summary: "Run a code function or recipe with these parameters; 202 if it waits for approval",
    needs: "canUseSkills",
    input: {
      params: FunctionParams,
      body: z.strictObject({ parameters: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
    },
    output: z.union([FunctionRunAnswer, OperatorPending]),
  },
  async ({ params: { id }, body: { parameters }, caller, request }) => {
    const { operator, functions } = caller.profile;
    const { title } = await functions.of(EVERY_AGENT).loadFunction(id);
    const action = { tool: "function_run", args: { id, parameters } };
    const options = startOptions(caller);
    const called = await callDirectly(
      operator,
      `Run the function “${title}”`,
      action,
      options,
      request.signal,
    );
    if (called.kind === "waiting") return new Reply(operatorPending(called.run), { status: 202 });
    return FunctionRunAnswer.parse({ runId: called.run.id, ...called.outputs });
  },
);
