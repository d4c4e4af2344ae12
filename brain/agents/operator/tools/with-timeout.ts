import { TimeoutError } from "@metahuman/core/errors/run-errors";
import type { Skill } from "@metahuman/skills/define-skill";

/** How long an aborted skill has to give back what it already did before its call is given up, in milliseconds. */
const GRACE_MS = 400;

/** What a time limit has to know of a skill. */
export type Limited = Pick<Skill, "id" | "timeoutMs" | "effects" | "idempotent">;

/**
 * Does a skill's work under its time limit. Throws what the work throws, `TimeoutError`, or the reason of `signal`. Work
 * that does not listen to its signal is left behind: its caller goes on, its result counts for nothing.
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
    return await Promise.race([work(stop), givenUp(stop)]);
  } catch (error) {
    // Work that was told to stop fails with whatever its tools throw then; what counts is why it was told.
    stop.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects some time after the signal, when the skill had its chance to end by itself. */
function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => void setTimeout(() => reject(signal.reason), GRACE_MS);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/** The promise's value, or the signal's reason at once when it is aborted first. */
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
