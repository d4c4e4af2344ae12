import type { LiveStreams } from "../http/live-streams.ts";
import type { Connection } from "../http/connection.ts";
import { problemOf } from "../http/problem.ts";

/** One message of a stream. `data` is sent as JSON on one line. */
export interface ServerSentEvent {
  event: string;
  data: unknown;
  /** What a client that comes back sends as `Last-Event-ID`. */
  id?: string;
}

export interface EventStreamOptions {
  live: LiveStreams;
  connection: Connection;
  /** The stream ends with this session or token. */
  credentialId: string;
  /** Aborted when the reader is gone, which may be before the first byte was written. */
  signal: AbortSignal;
}

/** How long a client waits before it comes back, in milliseconds. */
const RETRY_MS = 2_000;

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Asks proxies not to collect the answer before passing it on.
  "X-Accel-Buffering": "no",
};

const encoder = new TextEncoder();

/**
 * Answers with every message of `open`, each as soon as there is room for it on the connection: a slow reader slows the
 * source down and nothing piles up. The source's signal aborts when the reader leaves, the session ends, or the server
 * stops. What the source throws is sent as a last message `problem`.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { live, connection, credentialId, signal }: EventStreamOptions,
): Response {
  const over = new AbortController();
  const messages = open(over.signal)[Symbol.asyncIterator]();

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // The first bytes carry the headers to the client before anything has happened.
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      const beat = () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      };
      const end = () => {
        if (over.signal.aborted) return;
        over.abort();
        controller.close();
      };
      const leave = live.join({ credentialId, beat, end });
      signal.addEventListener("abort", end);
      over.signal.addEventListener("abort", () => {
        leave();
        signal.removeEventListener("abort", end);
        // A source that stands between two messages would not notice by itself.
        void messages.return?.();
      });
      if (signal.aborted) end();
    },
    pull: async (controller) => {
      await connection.drained();
      const next = await nextOf(messages);
      // A source may be slow to notice that its stream is over.
      if (over.signal.aborted) return;
      if (next !== undefined) {
        controller.enqueue(encoder.encode(wireForm(next)));
        return;
      }
      over.abort();
      controller.close();
    },
    cancel: () => over.abort(),
  });
  return new Response(body, { headers });
}

/** `undefined` at the end. */
async function nextOf(messages: AsyncIterator<ServerSentEvent>): Promise<ServerSentEvent | undefined> {
  try {
    const next = await messages.next();
    return next.done ? undefined : next.value;
  } catch (error) {
    // One last word; the iterator is finished after it threw.
    return { event: "problem", data: problemOf(error).body };
  }
}

function wireForm({ event, data, id }: ServerSentEvent): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
