import { UpkeepReport, UpkeepRequest } from "@metahuman/core/contract/function-upkeep";
import { functionActor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Look after functions: disable what fails, propose merging what repeats another, tell what is not used",
    needs: "canManageFunctions",
    input: { body: UpkeepRequest.prefault({}) },
    output: UpkeepReport,
  },
  ({ body: { dryRun }, caller, request }) =>
    caller.profile.functionUpkeep.maintain(functionActor(caller), { dryRun, signal: request.signal }),
);
