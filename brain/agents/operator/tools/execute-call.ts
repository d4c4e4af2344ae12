import { nearest } from "@metahuman/core/errors/nearest";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Assessment, Skill, SkillCall } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import { createSkillFinder } from "@metahuman/skills/support/skill-finder";
import { TimeoutError } from "@metahuman/core/errors/run-errors";

/** A call whose arguments are parsed and whose effects are assessed. */
export interface PreparedCall {
  skill: Skill;
  args: Record<string, unknown>;
  assessment: Assessment;
}

export interface CallOptions {
  argumentContext: ArgumentContext;
  call: Omit<SkillCall, "assessment">;
  /** Throws if the call is not allowed. If absent, only the ports limit the call. */
  authorize?: (prepared: PreparedCall) => Promise<void>;
}

/**
 * Prepares, authorizes and runs one call of a skill: for code and recipes inside a call of a run, and for the verifier.
 * A step of a run passes through the same functions in `execute-step.ts`, which commits events between them. Throws what
 * the skill or `authorize` throws, `InvalidArgsError`, `TimeoutError` or the reason of the call's signal.
 */
export async function executeCall(
  skill: Skill,
  args: unknown,
  { argumentContext, call, authorize }: CallOptions,
): Promise<Record<string, unknown>> {
  const prepared = await prepareCall(skill, args, { argumentContext, ...call });
  await authorize?.(prepared);
  return runCall(prepared, call);
}

/** Parses the arguments and assesses what the call would do. */
export async function prepareCall(
  skill: Skill,
  rawArgs: unknown,
  {
    argumentContext,
    ports,
    signal,
  }: { argumentContext: ArgumentContext; ports: SkillPorts; signal: AbortSignal },
): Promise<PreparedCall> {
  const args = skill.parse(rawArgs, argumentContext);
  const assessment = await orAborted(skill.assess(args, ports, argumentContext), signal);
  return { skill, args, assessment };
}

/** Runs the skill under its time limit; its outputs match its output schema. */
export function runCall(
  { skill, args, assessment }: PreparedCall,
  call: Omit<SkillCall, "assessment">,
): Promise<Record<string, unknown>> {
  return runWithTimeout(skill, (signal) => skill.run(args, { ...call, assessment, signal }), call.signal);
}

const MAX_SUGGESTIONS = 5;
/** The number of suggestions by spelling; the others are chosen by meaning. */
const MAX_BY_SPELLING = 3;

/** Throws `SkillNotFoundError` with ids of similar spelling or meaning: `read_file` suggests `fs_read`. */
export function findSkill(id: string, skills: readonly Skill[], catalog: readonly SkillCard[]): Skill {
  const found = skills.find((skill) => skill.id === id);
  if (found) return found;
  const ids = skills.map((skill) => skill.id);
  const words = id.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const reordered = ids.filter((one) => one.split("_").every((word) => words.includes(word)));
  const similar = createSkillFinder(catalog).nearest(words.join(" "));
  const candidates = new Set([
    ...reordered,
    ...nearest(id, ids, MAX_BY_SPELLING),
    ...similar.map(({ card }) => card.id),
  ]);
  const suggestions = [...candidates].filter((one) => ids.includes(one)).slice(0, MAX_SUGGESTIONS);
  throw new SkillNotFoundError(`There is no skill called ${id}.`, {
    suggestions: suggestions.length > 0 ? suggestions : ["Find one with skill_search."],
  });
}

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
      ? ["It may have taken effect in part: check before you repeat it."]
      : ["Ask for less at once, or try again."],
  });
}
