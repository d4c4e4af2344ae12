import { SchedulePreview, SchedulePreviewRequest } from "@metahuman/core/contract/schedule";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary: "The next five moments of a schedule, without storing it",
    needs: "canReadRuns",
    input: { body: SchedulePreviewRequest },
    output: SchedulePreview,
  },
  ({ body, caller }) => caller.profile.schedules.preview(body),
);
