import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { Skill } from "@metahuman/skills/define-skill";

/** How long an aborted skill may take to end by itself, in milliseconds. */
const GRACE_MS = 400;

export type Limited = Pick<Skill, "id" | "timeoutMs" | "effects" | "idempotent">;

/**
 * Runs the work under the skill's time limit. Throws what the work throws, `TimeoutError`, or the reason of `signal`. Work
 * that ignores its signal is abandoned and its result discarded.
 */
export async function runWithTimeout<Result>(
  skill: Limited,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timedOut(skill)), skill.timeoutMs);
  const stop = AbortSignal.any([signal, deadline.signal]);
  try {
    return await Promise.race([work(stop), rejectAfterGrace(stop)]);
  } catch (error) {
    // Aborted work fails with any error; the reason of the abort is the one to report.
    stop.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects `GRACE_MS` after the signal is aborted. */
function rejectAfterGrace(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => void setTimeout(() => reject(signal.reason), GRACE_MS);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/** Resolves to the value of the promise, or rejects with the reason of the signal if it is aborted first. */
export function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function timedOut(skill: Limited): TimeoutError {
  const seconds = Math.round(skill.timeoutMs / 100) / 10;
  const changes = skill.effects !== "read" && !skill.idempotent;
  return new TimeoutError(`${skill.id} did not finish within ${seconds} s and was stopped.`, {
    suggestions: changes
      ? ["It may have taken effect in part: look before repeating it."]
      : ["Ask for less at once, or try again."],
  });
}
