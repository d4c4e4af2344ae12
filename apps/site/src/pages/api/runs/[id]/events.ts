import { RunEvent } from "@metahuman/core/contract/event";
import { RunParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";
import { EventsQuery, lastSeen, runEvents } from "../../../../server/api/run-events.ts";

export const GET = route(
  {
    summary: "A run's events after Last-Event-ID or ?from=, then live ones, ending with run-ended",
    needs: "canReadRuns",
    input: { params: RunParams, query: EventsQuery },
    output: RunEvent,
    events: true,
  },
  async ({ params, query, caller, request, stream }) => {
    const { operator, runs } = caller.profile;
    const run = await runs.get(params.id);
    const from = lastSeen(request, query.from);
    // 204 tells the browser that it has every event and must not reconnect.
    if (run.status === "ended" && from >= run.lastSeq) return new Response(null, { status: 204 });
    return stream((signal) => runEvents(operator, run.id, { from, signal }));
  },
);
