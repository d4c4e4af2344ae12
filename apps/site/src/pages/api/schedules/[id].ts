import { ArchivedAnswer } from "@metahuman/core/contract/answers";
import { ScheduleAnswer, ScheduleEdit } from "@metahuman/core/contract/schedule";
import { ScheduleParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "One schedule with its next moments",
    needs: "canReadRuns",
    input: { params: ScheduleParams },
    output: ScheduleAnswer,
  },
  ({ params, caller }) => caller.profile.schedules.get(params.id),
);

const edit = route(
  {
    summary: "Change a schedule; omitted fields stay unchanged, null removes one",
    needs: "canUseSkills",
    input: { params: ScheduleParams, body: ScheduleEdit },
    output: ScheduleAnswer,
  },
  ({ params, body, caller: { profile, policy } }) =>
    profile.schedules.edit(params.id, body, { mayGrant: policy.canDecideApprovals }),
);

export { edit as PATCH, edit as PUT };

export const DELETE = route(
  {
    summary: "Delete a schedule: into the archive",
    needs: "canUseSkills",
    input: { params: ScheduleParams },
    output: ArchivedAnswer,
  },
  async ({ params, caller }) => ({ archived: await caller.profile.schedules.remove(params.id) }),
);
