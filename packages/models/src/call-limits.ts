import { ModelError, createModelError, type CallSubject } from "./model-error.ts";

/** Time limits of a model call, in milliseconds. */
export interface TimeLimits {
  /** Until the first byte of an answer. A server may have to load the model first. */
  firstByteMs: number;
  /** Between two pieces of a streamed answer. */
  silenceMs: number;
  /** For a whole call. */
  totalMs: number;
}

/** The abort reason of an exceeded limit, distinct from a caller's abort. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
  readonly limit: keyof TimeLimits;
  constructor(limit: keyof TimeLimits) {
    super(`time limit exceeded: ${limit}`);
    this.limit = limit;
  }
}

export interface CallTimer extends Disposable {
  /** Aborts with the caller's signal, or with `TimeLimitExceeded` when a limit is exceeded. */
  readonly signal: AbortSignal;
  /** Restarts the silence limit. Call it for every received piece. */
  received(): void;
  /** Whether anything was received. */
  readonly answered: boolean;
}

/** Starts the timers of a call. Dispose of the result when the call ends. */
function startCallTimer(caller: AbortSignal, limits: TimeLimits): CallTimer {
  const controller = new AbortController();
  const forward = () => {
    controller.abort(caller.reason);
  };
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  const abortAt = (limit: keyof TimeLimits) => () => {
    controller.abort(new TimeLimitExceeded(limit));
  };
  const total = setTimeout(abortAt("totalMs"), limits.totalMs);
  let silence = setTimeout(abortAt("firstByteMs"), limits.firstByteMs);
  let hasAnswered = false;
  return {
    signal: controller.signal,
    get answered() {
      return hasAnswered;
    },
    received() {
      hasAnswered = true;
      clearTimeout(silence);
      silence = setTimeout(abortAt("silenceMs"), limits.silenceMs);
    },
    [Symbol.dispose]() {
      clearTimeout(total);
      clearTimeout(silence);
      caller.removeEventListener("abort", forward);
    },
  };
}

/**
 * Converts a value thrown by a model call. A caller's abort becomes the caller's reason, a passed time limit becomes
 * `timed-out`, and a `ModelError` is unchanged. Anything else is a connection failure, before or during the answer.
 */
export function callError(error: unknown, subject: CallSubject, { signal, answered }: CallTimer): unknown {
  // This check is first because an aborted call also looks like a truncated answer.
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof TimeLimitExceeded
      ? createModelError("timed-out", subject, { cause: reason })
      : reason;
  }
  if (error instanceof ModelError) return error;
  return createModelError(answered ? "truncated" : "unreachable", subject, { cause: error });
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
  throw createModelError("malformed", limits.subject);
}
