import { z } from "zod";
import { OperatorAnswer, OperatorPending, OperatorRequest } from "@metahuman/core/contract/http";
import { operatorPending } from "@metahuman/boot/answers";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { Run } from "@metahuman/core/contract/run";
import { type Caller, startOptions } from "../../server/api/caller.ts";
import { Reply, route } from "../../server/api/route.ts";
import { startedRun } from "../../server/api/run-events.ts";

/** The sessions of guests whose last message is not answered yet. Each server of an installation has its own set. */
const waitingGuests = new Set<string>();

/**
 * Starts a run for a guest. A guest sends one message at a time, because anybody may be a guest and each message uses
 * the owner's model. Throws `ConflictError` while the last message is not answered.
 */
async function startForGuest(
  { credentialId, profile: { operator }, ...caller }: Caller,
  { goal, conversationId }: OperatorRequest,
): Promise<Run> {
  if (waitingGuests.has(credentialId)) throw new ConflictError("Your last message is still being answered.");
  waitingGuests.add(credentialId);
  const answered = () => void waitingGuests.delete(credentialId);
  try {
    const options = startOptions(caller);
    const run = await operator.start(
      { goal, ...(conversationId !== undefined && { conversationId }) },
      options,
    );
    operator.settled(run.id).then(answered, answered);
    return run;
  } catch (error) {
    answered();
    throw error;
  }
}

export const POST = route(
  {
    summary:
      "Ask the operator: events with Accept: text/event-stream, else the answer, or 202 when there is none yet",
    needs: "canUseOperator",
    guests: true,
    input: { body: OperatorRequest },
    output: z.union([OperatorAnswer, OperatorPending]),
    events: true,
  },
  async ({ body, ...context }) => {
    const { caller } = context;
    const run =
      caller.me.role === "guest"
        ? await startForGuest(caller, body)
        : await caller.profile.operator.start(body, startOptions(caller));
    return body.background ? new Reply(operatorPending(run), { status: 202 }) : startedRun(run, context);
  },
);
