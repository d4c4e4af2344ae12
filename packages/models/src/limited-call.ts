import { callError, failure, type CallSubject } from "./http-failure.ts";
import { watch, type TimeLimits, type Watch } from "./time-limits.ts";

export interface CallTerms {
  subject: CallSubject;
  limits: TimeLimits;
  signal: AbortSignal;
}

/** Questions about models are answered at once or not at all. */
export const QUESTION_LIMITS: TimeLimits = { firstByteMs: 5_000, silenceMs: 5_000, totalMs: 10_000 };

/** Streams one call under its limits; whatever goes wrong in it is thrown as `callError` types it. */
export async function* limitedCall<Part>(
  { subject, limits, signal }: CallTerms,
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
  terms: CallTerms,
  question: (clock: Watch) => Promise<Reply>,
): Promise<Reply> {
  const replies = limitedCall(terms, async function* (clock) {
    yield await question(clock);
  });
  for await (const reply of replies) return reply;
  throw failure("malformed", terms.subject);
}
