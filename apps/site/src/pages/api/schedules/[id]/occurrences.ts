import { OccurrencePage } from "@metahuman/core/contract/schedule";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { listQuery } from "../../../../server/api/paging.ts";
import { ScheduleParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The occurrences of a schedule, newest first",
    needs: "canReadRuns",
    input: { params: ScheduleParams, query: listQuery("newest") },
    output: OccurrencePage,
  },
  ({ params, query: { sort: _sort, ...query }, caller }) =>
    caller.profile.schedules.occurrences(params.id, omitUndefined(query)),
);
