import type { z } from "zod";
import { ApiProblem } from "../api/api-problem.ts";
import type { LazySchema } from "../api/http-client.ts";

/** One message of a `text/event-stream` (WHATWG HTML, section 9.2.6). */
export interface ServerSentEvent {
  /** The last id the stream named, as `Last-Event-ID` wants it back; empty when it named none. */
  id: string;
  /** `message` when the stream does not say. */
  event: string;
  data: string;
}

/**
 * Reads a stream of server-sent events, however its bytes are cut. Comments (heartbeats) yield nothing;
 * an event whose blank line never came is dropped, as the standard asks. Ends when the stream ends.
 */
export async function* parseServerSentEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  let pending: ServerSentEvent = { id: "", event: "", data: "" };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      // The last piece may go on in the next chunk; so may a trailing "\r", half of "\r\n".
      const lines = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        if (line !== "") {
          pending = withField(pending, line);
        } else {
          if (pending.data !== "")
            yield { ...pending, event: pending.event || "message", data: pending.data.slice(0, -1) };
          pending = { id: pending.id, event: "", data: "" };
        }
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withField(event: ServerSentEvent, line: string): ServerSentEvent {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  switch (name) {
    case "id":
      return value.includes("\0") ? event : { ...event, id: value };
    case "event":
      return { ...event, event: value };
    case "data":
      return { ...event, data: `${event.data}${value}\n` };
    default:
      return event;
  }
}

/** The events of a stream, parsed; one that tells of a problem is thrown as `ApiProblem`. */
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
