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
export function startCallTimer(caller: AbortSignal, limits: TimeLimits): CallTimer {
  const controller = new AbortController();
  const forward = () => {
    controller.abort(caller.reason);
  };
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  const exceed = (limit: keyof TimeLimits) => () => {
    controller.abort(new TimeLimitExceeded(limit));
  };
  const total = setTimeout(exceed("totalMs"), limits.totalMs);
  let silence = setTimeout(exceed("firstByteMs"), limits.firstByteMs);
  let answered = false;
  return {
    signal: controller.signal,
    get answered() {
      return answered;
    },
    received() {
      answered = true;
      clearTimeout(silence);
      silence = setTimeout(exceed("silenceMs"), limits.silenceMs);
    },
    [Symbol.dispose]() {
      clearTimeout(total);
      clearTimeout(silence);
      caller.removeEventListener("abort", forward);
    },
  };
}
