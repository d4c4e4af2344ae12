import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import { ScheduleParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Resume a paused schedule",
    needs: "canUseSkills",
    input: { params: ScheduleParams },
    output: ScheduleAnswer,
  },
  ({ params, caller }) => caller.profile.schedules.resume(params.id),
);
