import { parseJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";
import { failure, statusFailure, type CallSubject } from "../http-failure.ts";
import type { Watch } from "../time-limits.ts";

const Line = z.looseObject({
  error: z.string().optional(),
  done: z.boolean().optional(),
  status: z.string().optional(),
});

/**
 * A `fetch` for one call to Ollama: under the call's limits, and with every fault of the protocol told apart before the
 * client reads it, because the client itself skips broken lines and reports all else as plain errors.
 */
export function guardedFetch(subject: CallSubject, call: Watch): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([call.signal, init.signal]) : call.signal;
    const response = await fetch(input, { ...init, signal });
    call.heard();
    if (!response.ok) {
      const { status } = response;
      const said = Line.safeParse(parseJson(await response.text()));
      if (isUnreadableCall(said.data?.error)) throw failure("malformed-call", subject, { status });
      throw failure(statusFailure(status, subject.model !== undefined), subject, { status });
    }
    const isStream = response.headers.get("content-type")?.includes("ndjson") ?? false;
    if (!response.body || !isStream) return response;
    return new Response(response.body.pipeThrough(guardLines(subject, call)), {
      status: 200,
      headers: response.headers,
    });
  };
}

/** Ollama reads tool calls itself, and has no other sign for one that is no JSON than this text. */
function isUnreadableCall(error: string | undefined): boolean {
  return error?.startsWith("error parsing tool call") ?? false;
}

/** Passes newline-delimited JSON on unchanged, and fails the stream at the first line that is not a proper part of it. */
function guardLines(subject: CallSubject, call: Watch): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  let complete = false;
  const check = (line: string) => {
    if (line.trim() === "") return;
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) throw failure("malformed", subject);
    const { error } = parsed.data;
    if (error !== undefined) throw failure(isUnreadableCall(error) ? "malformed-call" : "broke-off", subject);
    complete ||= parsed.data.done === true || parsed.data.status === "success";
  };
  return new TransformStream({
    transform(chunk, out) {
      call.heard();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) check(line);
      out.enqueue(chunk);
    },
    flush() {
      // A last line that broke off in its middle is a truncated answer, not a malformed one.
      if (!complete && parseJson(rest) !== undefined) check(rest);
      if (!complete) throw failure("truncated", subject);
    },
  });
}
