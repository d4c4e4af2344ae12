/** How long a model server may take, in milliseconds. */
export interface TimeLimits {
  /** Until the first byte of an answer: a server may have to load the model first. */
  firstByteMs: number;
  /** Between two pieces of a streamed answer. */
  silenceMs: number;
  /** For a whole call. */
  totalMs: number;
}

/** Raised as the abort reason when a limit passes, so that it is told apart from a caller's cancel. */
export class LimitPassed extends Error {
  override readonly name = "LimitPassed";
  readonly limit: keyof TimeLimits;
  constructor(limit: keyof TimeLimits) {
    super(`time limit passed: ${limit}`);
    this.limit = limit;
  }
}

export interface Watch extends Disposable {
  /** Aborts when the caller's signal does, or when a limit passes (its reason is then a `LimitPassed`). */
  readonly signal: AbortSignal;
  /** Something arrived: from here the silence limit counts. */
  heard(): void;
  /** True once anything has arrived. */
  readonly answered: boolean;
}

/** Starts the clocks of one call. Dispose of it when the call is over. */
export function watch(caller: AbortSignal, limits: TimeLimits): Watch {
  const controller = new AbortController();
  const forward = () => {
    controller.abort(caller.reason);
  };
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  const pass = (limit: keyof TimeLimits) => () => {
    controller.abort(new LimitPassed(limit));
  };
  const total = setTimeout(pass("totalMs"), limits.totalMs);
  let silence = setTimeout(pass("firstByteMs"), limits.firstByteMs);
  let answered = false;
  return {
    signal: controller.signal,
    get answered() {
      return answered;
    },
    heard() {
      answered = true;
      clearTimeout(silence);
      silence = setTimeout(pass("silenceMs"), limits.silenceMs);
    },
    [Symbol.dispose]() {
      clearTimeout(total);
      clearTimeout(silence);
      caller.removeEventListener("abort", forward);
    },
  };
}
