import { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Check code for syntax, types, rules and grants, with line and column; nothing is run or stored",
    needs: "canManageFunctions",
    input: { body: CodeToInspect },
    output: CodeInspection,
  },
  // A disconnect does not abort the inspection: it ends sooner than its process could be replaced.
  ({ body, caller }) => caller.profile.inspectCode(body),
);
