import { z } from "zod";
import { OperatorAnswer, OperatorPending, OperatorRequest } from "@metahuman/core/contract/http";
import { operatorAnswer, operatorPending } from "@metahuman/boot/answers";
import { Reply } from "../../server/api/reply.ts";
import { route } from "../../server/api/route.ts";
import { runEvents } from "../../server/api/run-events.ts";
import { startOptions } from "../../server/api/surface.ts";

/** The run goes on when its caller leaves: a stream that breaks off is attached to again under `/api/runs/:id/events`. */
export const POST = route(
  {
    summary:
      "Ask the operator: events with Accept: text/event-stream, else the answer, or 202 when there is none yet",
    needs: "canUseOperator",
    takes: { body: OperatorRequest },
    answer: z.union([OperatorAnswer, OperatorPending]),
    events: true,
  },
  async ({ body, caller, request, stream }) => {
    const { operator } = caller.profile;
    const run = await operator.start(body, startOptions(caller));
    if (body.background) return new Reply(operatorPending(run), { status: 202 });
    if (request.headers.get("accept")?.includes("text/event-stream")) {
      return stream((signal) => runEvents(operator, run.id, { from: 0, signal }));
    }
    const settled = await operator.settled(run.id, request.signal);
    return (
      operatorAnswer(settled, operator.steering()) ?? new Reply(operatorPending(settled), { status: 202 })
    );
  },
);
