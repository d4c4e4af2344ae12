import type { CheckEvent } from "@metahuman/core/contract/verification";
import type { SignedInContext } from "./route.ts";
import type { ServerSentEvent } from "./event-stream.ts";

interface WorkOptions {
  signal: AbortSignal;
  onCheck: (event: CheckEvent) => void;
}

/**
 * Returns the result of `work` as JSON. If the caller accepts events, streams its check events, then the result as an event of
 * the type `last`. The work is aborted when the caller disconnects.
 */
export async function jsonOrStream<Result extends object>(
  { request, stream, last }: Pick<SignedInContext, "request" | "stream"> & { last: string },
  work: (options: WorkOptions) => Promise<Result>,
): Promise<Result | Response> {
  if (request.headers.get("accept")?.includes("text/event-stream"))
    return stream((signal) => streamEvents(last, (onCheck) => work({ signal, onCheck })));
  return work({ signal: request.signal, onCheck: () => undefined });
}

async function* streamEvents(
  last: string,
  work: (onCheck: (event: CheckEvent) => void) => Promise<object>,
): AsyncGenerator<ServerSentEvent> {
  const queue: (CheckEvent | "ended")[] = [];
  let notify = (): void => undefined;
  const emit = (event: CheckEvent | "ended"): void => {
    queue.push(event);
    notify();
  };
  const result = work(emit).finally(() => emit("ended"));
  // After a disconnect, the result is not awaited.
  result.catch(() => undefined);
  for (;;) {
    const event = queue.shift();
    if (event === "ended") break;
    if (event) yield { event: event.type, data: event };
    else await new Promise<void>((resolve) => (notify = resolve));
  }
  yield { event: last, data: { type: last, ...(await result) } };
}
