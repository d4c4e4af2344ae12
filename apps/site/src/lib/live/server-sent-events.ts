import { createParser } from "eventsource-parser";
import type { z } from "zod";
import { ApiProblem } from "../api/api-problem.ts";
import type { LazySchema } from "../api/http-client.ts";

/** One message of a `text/event-stream`. */
export interface ServerSentEvent {
  /** `message` if the stream does not name it. */
  event: string;
  data: string;
}

/** Parses a stream of server-sent events; calls `onData` with each arrival, heartbeats included. Ends when the stream ends; an incomplete last event is dropped. */
export async function* parseServerSentEvents(
  stream: ReadableStream<Uint8Array>,
  onData: () => void = () => undefined,
): AsyncGenerator<ServerSentEvent> {
  const events: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event = "message", data }) => events.push({ event, data }) });
  const decoder = new TextDecoder();
  // Some browsers cannot iterate a stream.
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onData();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Parses a stream of server-sent events with a schema. Throws an event that reports a problem as `ApiProblem`. */
export async function* parseEvents<Schema extends z.ZodType>(
  expected: LazySchema<Schema>,
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<z.output<Schema>> {
  const schema = await expected();
  const { Problem } = await import("@metahuman/core/contract/problem");
  for await (const { data } of parseServerSentEvents(stream)) {
    const value: unknown = JSON.parse(data);
    const problem = Problem.safeParse(value);
    if (problem.success) throw new ApiProblem(200, problem.data.error);
    yield schema.parse(value);
  }
}
