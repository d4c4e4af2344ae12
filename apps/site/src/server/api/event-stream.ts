import type { LiveStreams } from "../http/live-streams.ts";
import type { Connection } from "../http/connection.ts";
import { toProblem } from "../http/problem.ts";

/** One message of a stream. `data` is sent as JSON on one line. */
export interface ServerSentEvent {
  event: string;
  data: unknown;
  /** The value that a reconnecting client sends as `Last-Event-ID`. */
  id?: string;
}

export interface EventStreamOptions {
  live: LiveStreams;
  connection: Connection;
  /** The stream ends with this session or token. */
  credentialId: string;
  /** Aborts when the reader disconnects, possibly before the first byte. */
  signal: AbortSignal;
}

/** How long a client waits before it reconnects, in milliseconds. */
const RETRY_MS = 2_000;

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Asks proxies not to buffer the response.
  "X-Accel-Buffering": "no",
};

const encoder = new TextEncoder();

/**
 * Streams the messages of `open` with backpressure: a slow reader slows the source down. The signal of the source aborts when
 * the reader disconnects, the session ends, or the server stops. An error of the source is sent as a last message, `problem`.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { live, connection, credentialId, signal }: EventStreamOptions,
): Response {
  const ended = new AbortController();
  const messages = open(ended.signal)[Symbol.asyncIterator]();

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // The first bytes send the headers to the client before the first event.
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      const sendHeartbeat = () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      };
      const end = () => {
        if (ended.signal.aborted) return;
        ended.abort();
        controller.close();
      };
      const remove = live.add({ credentialId, sendHeartbeat, end });
      signal.addEventListener("abort", end);
      ended.signal.addEventListener("abort", () => {
        remove();
        signal.removeEventListener("abort", end);
        // A source that waits between two messages would not notice the end.
        void messages.return?.();
      });
      if (signal.aborted) end();
    },
    pull: async (controller) => {
      await connection.drained();
      const next = await nextOf(messages);
      // A source may be slow to notice that its stream has ended.
      if (ended.signal.aborted) return;
      if (next !== undefined) {
        controller.enqueue(encoder.encode(encodeEvent(next)));
        return;
      }
      ended.abort();
      controller.close();
    },
    cancel: () => ended.abort(),
  });
  return new Response(body, { headers });
}

/** `undefined` at the end. */
async function nextOf(messages: AsyncIterator<ServerSentEvent>): Promise<ServerSentEvent | undefined> {
  try {
    const next = await messages.next();
    return next.done ? undefined : next.value;
  } catch (error) {
    // The last message: the iterator is finished after it threw.
    return { event: "problem", data: toProblem(error).body };
  }
}

function encodeEvent({ event, data, id }: ServerSentEvent): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
