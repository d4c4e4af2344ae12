import type { CheckEvent } from "@metahuman/core/contract/verification";
import type { SignedInContext } from "./route.ts";
import type { ServerSentEvent } from "./event-stream.ts";

interface Following {
  signal: AbortSignal;
  onCheck: (event: CheckEvent) => void;
}

/**
 * What came of some work, as JSON; or, for a caller who asks for events, what it tells while it goes on and what came of
 * it as an event of the type `last`. The work is aborted when its caller leaves.
 */
export async function tellingAnswer<Result extends object>(
  { request, stream, last }: Pick<SignedInContext, "request" | "stream"> & { last: string },
  work: (following: Following) => Promise<Result>,
): Promise<Result | Response> {
  if (request.headers.get("accept")?.includes("text/event-stream"))
    return stream((signal) => tellingEvents(last, (onCheck) => work({ signal, onCheck })));
  return work({ signal: request.signal, onCheck: () => undefined });
}

async function* tellingEvents(
  last: string,
  work: (onCheck: (event: CheckEvent) => void) => Promise<object>,
): AsyncGenerator<ServerSentEvent> {
  const told: (CheckEvent | "ended")[] = [];
  let wake = (): void => undefined;
  const tell = (event: CheckEvent | "ended"): void => {
    told.push(event);
    wake();
  };
  const result = work(tell).finally(() => tell("ended"));
  // Nobody waits for it any more when the reader has left in between.
  result.catch(() => undefined);
  for (;;) {
    const event = told.shift();
    if (event === "ended") break;
    if (event) yield { event: event.type, data: event };
    else await new Promise<void>((resolve) => (wake = resolve));
  }
  yield { event: last, data: { type: last, ...(await result) } };
}
