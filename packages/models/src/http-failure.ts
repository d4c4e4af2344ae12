import type { ModelFailure } from "@metahuman/core/contract/models";
import { ModelError } from "./model-error.ts";
import { TimeLimitExceeded, type TimeLimits, type CallTimer, startCallTimer } from "./time-limits.ts";

export interface CallSubject {
  provider: string;
  /** The server's address as it was configured, without credentials. */
  address: string;
  model?: string | undefined;
}

/** Maps an HTTP status to a failure. With `aboutModel`, 404 means that the model is missing. */
export function statusFailure(status: number, aboutModel: boolean): ModelFailure {
  if (status === 401 || status === 403) return "key-refused";
  if (status === 404) return aboutModel ? "model-missing" : "request-refused";
  if (status === 408 || status === 504) return "timed-out";
  if (status === 429) return "rate-limited";
  if (status >= 500) return "server-error";
  return "request-refused";
}

const messages: Record<ModelFailure, (subject: CallSubject) => string> = {
  unreachable: ({ address }) => `No model server answers at ${address}.`,
  "timed-out": ({ address }) => `The model server at ${address} did not answer in time.`,
  "server-error": ({ address }) => `The model server at ${address} returned a server error.`,
  "model-missing": ({ address, model }) => `The model server at ${address} has no model "${model ?? ""}".`,
  "key-refused": ({ address }) => `The model server at ${address} refused the key.`,
  "rate-limited": ({ address }) => `The model server at ${address} is limiting requests. Try again later.`,
  "request-refused": ({ address, model }) =>
    model === undefined
      ? `The server at ${address} does not answer like a model server.`
      : `The model server at ${address} refused the request for "${model}".`,
  "broke-off": ({ address }) => `The model server at ${address} reported an error during its answer.`,
  truncated: ({ address }) => `The answer of the model server at ${address} ended before it was complete.`,
  empty: ({ model }) => `The model "${model ?? ""}" returned an empty answer.`,
  malformed: ({ address }) => `The model server at ${address} sent an invalid answer.`,
  "malformed-call": ({ model }) =>
    `The model "${model ?? ""}" called a tool with arguments that are not JSON.`,
};

const advice: Partial<Record<ModelFailure, string[]>> = {
  unreachable: ["Start the model server, or correct its address."],
  "model-missing": ["Pull the model, or choose another for this role under Settings → Models."],
  "key-refused": ["Enter the key again, or set the environment variable that etc/models.json names for it."],
};

const WRONG_ADDRESS = ["Check the address: that of an OpenAI-compatible server usually ends in /v1."];

export function failure(
  reason: ModelFailure,
  subject: CallSubject,
  facts: { status?: number; cause?: unknown } = {},
): ModelError {
  return new ModelError(reason, messages[reason](subject), {
    provider: subject.provider,
    model: subject.model,
    status: facts.status,
    cause: facts.cause,
    suggestions:
      reason === "request-refused" && subject.model === undefined ? WRONG_ADDRESS : (advice[reason] ?? []),
  });
}

/**
 * Converts a value thrown by a model call. A caller's abort becomes the caller's reason, a passed time limit becomes
 * `timed-out`, and a `ModelError` is unchanged. Anything else is a connection failure, before or during the answer.
 */
export function callError(error: unknown, subject: CallSubject, { signal, answered }: CallTimer): unknown {
  // This check is first because an aborted call also looks like a truncated answer.
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof TimeLimitExceeded ? failure("timed-out", subject, { cause: reason }) : reason;
  }
  if (error instanceof ModelError) return error;
  return failure(answered ? "truncated" : "unreachable", subject, { cause: error });
}

export interface CallLimits {
  subject: CallSubject;
  limits: TimeLimits;
  signal: AbortSignal;
}

/** Limits of requests for model metadata. */
export const METADATA_LIMITS: TimeLimits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** Streams a call under its time limits. Converts errors with `callError`. */
export async function* streamWithLimits<Part>(
  { subject, limits, signal }: CallLimits,
  body: (timer: CallTimer) => AsyncIterable<Part>,
): AsyncGenerator<Part> {
  using timer = startCallTimer(signal, limits);
  try {
    timer.signal.throwIfAborted();
    yield* body(timer);
  } catch (error) {
    throw callError(error, subject, timer);
  }
}

/** Makes a call with a single reply under its time limits. */
export async function askWithLimits<Reply>(
  limits: CallLimits,
  request: (timer: CallTimer) => Promise<Reply>,
): Promise<Reply> {
  const replies = streamWithLimits(limits, async function* (timer) {
    yield await request(timer);
  });
  for await (const reply of replies) return reply;
  throw failure("malformed", limits.subject);
}
