import { z } from "zod";
import { LiveUpdate } from "@metahuman/core/contract/live-updates";
import { RunEvent } from "@metahuman/core/contract/event";
import { modelUpdates, profileUpdates } from "../../server/api/live-updates.ts";
import { mergeIterables } from "../../server/api/merge-iterables.ts";
import { route } from "../../server/api/route.ts";
import { RunCursors, latestCursors, writeCursors } from "../../server/api/run-events.ts";
import type { ServerSentEvent } from "../../server/api/event-stream.ts";

/**
 * Streams everything that one tab follows over one connection. The event ids contain the position in each requested
 * run, so that a reconnecting browser receives exactly what it missed.
 */
export const GET = route(
  {
    summary:
      "One stream per tab: events of the runs in ?runs=id,id:seq, and changes of approvals, runs, index, agents, models, notices and records",
    needs: "canReadRuns",
    input: { query: z.object({ runs: RunCursors.optional() }) },
    output: z.union([RunEvent, LiveUpdate]),
    events: true,
  },
  async ({ query, brain, caller: { profile }, request, stream }) => {
    const cursors = latestCursors(
      query.runs ?? new Map<string, number>(),
      request.headers.get("last-event-id"),
    );
    for (const run of cursors.keys()) await profile.runs.get(run);

    async function* events(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
      const runs = [...cursors].map(([run, from]) => profile.operator.events(run, { from, signal }));
      for await (const message of mergeIterables<RunEvent | LiveUpdate>([
        profileUpdates(profile, signal),
        modelUpdates(brain, signal),
        ...runs,
      ])) {
        if ("seq" in message) cursors.set(message.runId, message.seq);
        yield { event: message.type, data: message, id: writeCursors(cursors) };
      }
    }
    return stream(events);
  },
);
