import { parseJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";
import { failure, statusFailure, type CallSubject } from "../http-failure.ts";
import type { CallTimer } from "../time-limits.ts";

const Line = z.looseObject({
  error: z.string().optional(),
  done: z.boolean().optional(),
  status: z.string().optional(),
});

/**
 * Creates a `fetch` for one call to Ollama with the call's time limits. It detects every protocol error before the
 * client reads the response, because the client skips broken lines and reports all other errors alike.
 */
export function guardedFetch(subject: CallSubject, call: CallTimer): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([call.signal, init.signal]) : call.signal;
    const response = await fetch(input, { ...init, signal });
    call.received();
    if (!response.ok) {
      const { status } = response;
      const body = Line.safeParse(parseJson(await response.text()));
      if (isMalformedCall(body.data?.error)) throw failure("malformed-call", subject, { status });
      throw failure(statusFailure(status, subject.model !== undefined), subject, { status });
    }
    const isStream = response.headers.get("content-type")?.includes("ndjson") ?? false;
    if (!response.body || !isStream) return response;
    return new Response(response.body.pipeThrough(validateLines(subject, call)), {
      status: 200,
      headers: response.headers,
    });
  };
}

/** Ollama parses tool calls itself and reports invalid JSON only by this text. */
function isMalformedCall(error: string | undefined): boolean {
  return error?.startsWith("error parsing tool call") ?? false;
}

/** Passes newline-delimited JSON through unchanged and fails at the first invalid line. */
function validateLines(subject: CallSubject, call: CallTimer): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  let complete = false;
  const check = (line: string) => {
    if (line.trim() === "") return;
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) throw failure("malformed", subject);
    const { error } = parsed.data;
    if (error !== undefined) throw failure(isMalformedCall(error) ? "malformed-call" : "broke-off", subject);
    complete ||= parsed.data.done === true || parsed.data.status === "success";
  };
  return new TransformStream({
    transform(chunk, out) {
      call.received();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) check(line);
      out.enqueue(chunk);
    },
    flush() {
      // An incomplete last line is a truncated answer, not a malformed one.
      if (!complete && parseJson(rest) !== undefined) check(rest);
      if (!complete) throw failure("truncated", subject);
    },
  });
}
