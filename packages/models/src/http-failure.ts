import type { ModelFailure } from "@metahuman/core/contract/models";
import { ModelError } from "./model-error.ts";
import { LimitPassed, type TimeLimits, type Watch, watch } from "./time-limits.ts";

export interface CallSubject {
  provider: string;
  /** Where the server is, without credentials. */
  address: string;
  model?: string | undefined;
}

/** The failure that an HTTP status stands for. `aboutModel`: a 404 then means that the model is not there. */
export function statusFailure(status: number, aboutModel: boolean): ModelFailure {
  if (status === 401 || status === 403) return "key-refused";
  if (status === 404) return aboutModel ? "model-missing" : "request-refused";
  if (status === 408 || status === 504) return "timed-out";
  if (status === 429) return "rate-limited";
  if (status >= 500) return "server-error";
  return "request-refused";
}

const sentences: Record<ModelFailure, (subject: CallSubject) => string> = {
  unreachable: ({ address }) => `No model server answers at ${address}.`,
  "timed-out": ({ address }) => `The model server at ${address} did not answer in time.`,
  "server-error": ({ address }) => `The model server at ${address} reported a fault of its own.`,
  "model-missing": ({ address, model }) => `The model server at ${address} has no model "${model ?? ""}".`,
  "key-refused": ({ address }) => `The model server at ${address} refused the key.`,
  "rate-limited": ({ address }) => `The model server at ${address} takes no more requests for now.`,
  "request-refused": ({ address, model }) =>
    `The model server at ${address} refused the request for "${model ?? ""}".`,
  "broke-off": ({ address }) =>
    `The model server at ${address} reported a fault in the middle of its answer.`,
  truncated: ({ address }) => `The answer of the model server at ${address} ended before it was complete.`,
  empty: ({ model }) => `The model "${model ?? ""}" answered with nothing.`,
  malformed: ({ address }) => `The model server at ${address} sent something that is not an answer.`,
  "malformed-call": ({ model }) =>
    `The model "${model ?? ""}" called a tool with arguments that are not JSON.`,
};

const advice: Partial<Record<ModelFailure, string[]>> = {
  unreachable: ["Start the model server, or correct its address in etc/models.json."],
  "model-missing": ["Pull the model, or choose another for this role under Settings → Models."],
  "key-refused": [
    "Set the environment variable that etc/models.json names for this server's key, and start again.",
  ],
};

export function failure(
  reason: ModelFailure,
  subject: CallSubject,
  facts: { status?: number; cause?: unknown } = {},
): ModelError {
  return new ModelError(reason, sentences[reason](subject), {
    provider: subject.provider,
    model: subject.model,
    status: facts.status,
    cause: facts.cause,
    suggestions: advice[reason] ?? [],
  });
}

/**
 * What a thrown value of a model call means. A caller's abort comes back as the caller's own reason, a passed limit as
 * `timed-out`, a typed failure as it is, anything else as the connection that failed: before the answer or within it.
 */
export function callError(error: unknown, subject: CallSubject, { signal, answered }: Watch): unknown {
  // First, because an aborted call also looks like a truncated answer.
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof LimitPassed ? failure("timed-out", subject, { cause: reason }) : reason;
  }
  if (error instanceof ModelError) return error;
  return failure(answered ? "truncated" : "unreachable", subject, { cause: error });
}

export interface CallLimits {
  subject: CallSubject;
  limits: TimeLimits;
  signal: AbortSignal;
}

/** Questions about models are answered at once or not at all. */
export const QUESTION_LIMITS: TimeLimits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** Streams one call under its limits; whatever goes wrong in it is thrown as `callError` types it. */
export async function* limitedCall<Part>(
  { subject, limits, signal }: CallLimits,
  body: (clock: Watch) => AsyncIterable<Part>,
): AsyncGenerator<Part> {
  using clock = watch(signal, limits);
  try {
    clock.signal.throwIfAborted();
    yield* body(clock);
  } catch (error) {
    throw callError(error, subject, clock);
  }
}

/** The same for a call with a single reply. */
export async function limitedAsk<Reply>(
  terms: CallLimits,
  question: (clock: Watch) => Promise<Reply>,
): Promise<Reply> {
  const replies = limitedCall(terms, async function* (clock) {
    yield await question(clock);
  });
  for await (const reply of replies) return reply;
  throw failure("malformed", terms.subject);
}
