import type { ModelFailure } from "@metahuman/core/contract/models";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";

const codes: Record<ModelFailure, ErrorCode> = {
  unreachable: "MODEL_UNAVAILABLE",
  "timed-out": "TIMEOUT",
  "server-error": "MODEL_UNAVAILABLE",
  "model-missing": "MODEL_UNAVAILABLE",
  "key-refused": "MODEL_UNAVAILABLE",
  "rate-limited": "RATE_LIMITED",
  "request-refused": "MODEL_UNAVAILABLE",
  "broke-off": "MODEL_UNAVAILABLE",
  truncated: "MODEL_UNAVAILABLE",
  empty: "MODEL_UNAVAILABLE",
  malformed: "MODEL_UNAVAILABLE",
  "malformed-call": "MODEL_UNAVAILABLE",
};

/** Failures of a server, as opposed to bad answers. Another model may be tried. */
const fallbackReasons = new Set<ModelFailure>([
  "unreachable",
  "timed-out",
  "server-error",
  "model-missing",
  "key-refused",
  "rate-limited",
  "broke-off",
  "truncated",
]);

export interface ModelErrorFacts {
  provider: string;
  model?: string | undefined;
  /** The HTTP status, if the server answered. */
  status?: number | undefined;
  /** How long the server asked to wait before the next request, in milliseconds. */
  retryAfterMs?: number | undefined;
  suggestions?: readonly string[];
  cause?: unknown;
}

/** A failed call to a model server. `reason` is the cause. Contains no prompt, key or reply text. */
export class ModelError extends MetahumanError {
  override readonly name = "ModelError";
  readonly code: ErrorCode;
  readonly reason: ModelFailure;
  readonly retryAfterMs: number | undefined;

  constructor(reason: ModelFailure, message: string, facts: ModelErrorFacts) {
    super(message, {
      context: {
        reason,
        provider: facts.provider,
        ...(facts.model !== undefined && { model: facts.model }),
        ...(facts.status !== undefined && { status: facts.status }),
      },
      suggestions: facts.suggestions ?? [],
      cause: facts.cause,
    });
    this.reason = reason;
    this.retryAfterMs = facts.retryAfterMs;
    this.code = codes[reason];
  }

  /** Whether the next model of the fallback list may be asked. A bad answer never falls back. */
  get allowsFallback(): boolean {
    return fallbackReasons.has(this.reason);
  }

  /**
   * Whether the same request may succeed a moment later: the server returned an error or limits requests without saying how long
   * to wait, or closed the connection before it answered, as when it restarts a model.
   */
  get isMomentary(): boolean {
    if (this.retryAfterMs !== undefined) return false;
    if (this.reason === "server-error" || this.reason === "rate-limited") return true;
    if (this.context["status"] === 504) return true;
    return this.reason === "unreachable" && wasClosed(this.cause);
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** True for an error of a connection that was closed. `fetch` throws it as the cause of another. */
function wasClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && CLOSED.has(error.code)) || wasClosed(error.cause);
}

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

/** The milliseconds of a `Retry-After` header (RFC 9110, 10.2.3): seconds, or a date; undefined for anything else. */
export function retryAfterMs(
  header: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1_000;
  const date = /\p{L}/u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const messages: Record<ModelFailure, (subject: CallSubject) => string> = {
  unreachable: ({ address }) => `No model server answers at ${address}.`,
  "timed-out": ({ address }) => `The model server at ${address} did not answer in time.`,
  "server-error": ({ address }) => `The model server at ${address} returned a server error.`,
  "model-missing": ({ address, model }) => `The model server at ${address} has no model "${model ?? ""}".`,
  "key-refused": ({ address }) => `The model server at ${address} refused the key.`,
  "rate-limited": ({ address }) => `The model server at ${address} is limiting requests.`,
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

/** Throws if a page of a proxy, such as one to sign in to a network, answers instead of the model server. */
export function rejectWebPage({ headers }: Pick<Response, "headers">, subject: CallSubject): void {
  if (/^text\/html/iu.test(headers.get("content-type") ?? "")) throw createModelError("malformed", subject);
}

const advice: Partial<Record<ModelFailure, string[]>> = {
  unreachable: ["Start the model server, or correct its address."],
  "rate-limited": ["Try again later."],
  "model-missing": ["Pull the model, or choose another for this role under Settings → Models."],
  malformed: ["Check the address, and whether a proxy or the sign-in page of a network answers there."],
  "request-refused": [
    "If the request is longer than the model can read, set its contextTokens in etc/models.json, or ask in a new conversation.",
  ],
  "key-refused": ["Enter the key again, or set the environment variable that etc/models.json names for it."],
};

const WRONG_ADDRESS = ["Check the address: that of an OpenAI-compatible server usually ends in /v1."];

export function createModelError(
  reason: ModelFailure,
  subject: CallSubject,
  facts: Pick<ModelErrorFacts, "status" | "retryAfterMs" | "cause"> = {},
): ModelError {
  return new ModelError(reason, messages[reason](subject), {
    provider: subject.provider,
    model: subject.model,
    status: facts.status,
    retryAfterMs: facts.retryAfterMs,
    cause: facts.cause,
    suggestions:
      reason === "request-refused" && subject.model === undefined ? WRONG_ADDRESS : (advice[reason] ?? []),
  });
}

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
function callError(error: unknown, subject: CallSubject, { signal, answered }: CallTimer): unknown {
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
