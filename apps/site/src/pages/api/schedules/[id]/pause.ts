import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import { ScheduleParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Pause a schedule until it is resumed",
    needs: "canUseSkills",
    input: { params: ScheduleParams },
    output: ScheduleAnswer,
  },
  ({ params, caller }) => caller.profile.schedules.pause(params.id),
);
