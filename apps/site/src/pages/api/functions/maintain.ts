import { UpkeepReport, UpkeepRequest } from "@metahuman/core/contract/function-upkeep";
import { functionActor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Maintain functions: disable failing ones, propose merges of duplicates, report unused ones",
    needs: "canManageFunctions",
    input: { body: UpkeepRequest.prefault({}) },
    output: UpkeepReport,
  },
  ({ body: { dryRun }, caller, request }) =>
    caller.profile.functionUpkeep.maintain(functionActor(caller), { dryRun, signal: request.signal }),
);
