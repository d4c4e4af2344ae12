import { z } from "zod";
import { ScheduleCalendar } from "@metahuman/core/contract/schedule";
import { route } from "../../../server/api/route.ts";

const DAY_MS = 86_400_000;

export const GET = route(
  {
    summary: "Past and future occurrences; by default of the last 60 days and the next 20",
    needs: "canReadRuns",
    input: {
      query: z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() }),
    },
    output: ScheduleCalendar,
  },
  ({ query, caller }) => {
    const now = Date.now();
    const from = query.from ?? new Date(now - 60 * DAY_MS).toISOString();
    const to = query.to ?? new Date(now + 20 * DAY_MS).toISOString();
    return caller.profile.schedules.calendar(from, to);
  },
);
