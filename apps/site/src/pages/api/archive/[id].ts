import { ArchiveDetail } from "@metahuman/core/contract/archive";
import { ArchiveParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "What restoring an archived item brings back; for a file also the text that is at its path now",
    needs: "canReadRuns",
    input: { params: ArchiveParams },
    output: ArchiveDetail,
  },
  ({ params, caller, request }) => caller.profile.archive.get(params.id, request.signal),
);
