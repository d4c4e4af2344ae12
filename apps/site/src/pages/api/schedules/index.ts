import { NewSchedule, ScheduleAnswer, SchedulePage } from "@metahuman/core/contract/schedule";
import { listQuery } from "../../../server/api/paging.ts";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Schedules by their next moment, paused and ended ones last",
    needs: "canReadRuns",
    input: { query: listQuery("next") },
    output: SchedulePage,
  },
  ({ query: { sort: _sort, ...query }, caller }) => caller.profile.schedules.list(omitUndefined(query)),
);

export const POST = route(
  {
    summary: "Create a schedule for a reminder, a request or a function; `when` is an object or words",
    needs: "canUseSkills",
    input: { body: NewSchedule },
    output: ScheduleAnswer,
    status: 201,
  },
  ({ body, caller: { profile, policy, me } }) =>
    profile.schedules.create(body, { actor: me.username, mayGrant: policy.canDecideApprovals }),
);
