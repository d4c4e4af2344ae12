import { OccurrenceAnswer } from "@metahuman/core/contract/schedule";
import { ScheduleParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Run a schedule now, in addition to its due moments",
    needs: "canUseSkills",
    input: { params: ScheduleParams },
    output: OccurrenceAnswer,
    status: 202,
  },
  async ({ params, caller }) => ({ occurrence: await caller.profile.schedules.runNow(params.id) }),
);
