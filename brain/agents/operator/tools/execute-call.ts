import { nearest } from "@metahuman/core/errors/nearest";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { CallStage } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import type { Assessment, Skill, SkillCall } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import type { ArgumentContext } from "@metahuman/skills/read-arguments";
import { createSkillFinder } from "@metahuman/skills/support/skill-finder";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import { InterruptedError } from "../loop/run-context.ts";

/** A call whose arguments are parsed and whose effects are assessed. */
export interface PreparedCall {
  skill: Skill;
  args: Record<string, unknown>;
  assessment: Assessment;
}

/** The arguments with which the skill of an authorized call runs. */
export type AuthorizedCall = Omit<SkillCall, "assessment" | "signal" | "reached">;

/** Creates the events of a call, for a caller that commits them while the call is executed. */
export interface CallEvents<Event> {
  /** Yielded between the authorization and the start: the skill runs only after the caller has taken it. */
  started(prepared: PreparedCall): Promise<Event>;
  stageReached(stage: CallStage): Event;
}

export interface CallExecution<Event> {
  argumentContext: ArgumentContext;
  /** The ports with which the call is assessed. */
  ports: SkillPorts;
  signal: AbortSignal;
  /** Throws if the call is not allowed. Resolves to the arguments it runs with. */
  authorize(prepared: PreparedCall): Promise<AuthorizedCall>;
  events?: CallEvents<Event>;
}

/**
 * Prepares, authorizes and runs one call of a skill. Steps of a run, calls by code and recipes, and the verifier all
 * execute their calls here. Yields the events of the call and returns its outputs, which match the output schema. Throws
 * what the skill or `authorize` throws, `InvalidArgsError`, `TimeoutError` or the reason of the signal. When the generator
 * is closed early, the call is aborted.
 */
export async function* executeCall<Event = never>(
  skill: Skill,
  rawArgs: unknown,
  { argumentContext, ports, signal, authorize, events }: CallExecution<Event>,
): AsyncGenerator<Event, Record<string, unknown>> {
  const args = skill.parse(rawArgs, argumentContext);
  const assessment = await orAborted(skill.assess(args, ports, argumentContext), signal);
  const prepared: PreparedCall = { skill, args, assessment };
  const call = await authorize(prepared);
  if (events) yield await events.started(prepared);
  const run = (reached: (stage: CallStage) => void, whileOpen: AbortSignal) =>
    runWithTimeout(
      skill,
      (untilTimeout) => skill.run(args, { ...call, assessment, reached, signal: untilTimeout }),
      whileOpen,
    );
  return yield* eventsWhileRunning(run, signal, events);
}

/** Executes a call without events and resolves to its outputs. */
export async function outputsOf(
  execution: AsyncGenerator<never, Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  return (await execution.next()).value;
}

/** Work that may call `reached` until it ends and stops when `signal` is aborted. */
type StagedWork<Result> = (reached: (stage: CallStage) => void, signal: AbortSignal) => Promise<Result>;

/** Yields an event for each stage that the work reports while it runs, then returns its result or throws its error. */
async function* eventsWhileRunning<Result, Event>(
  work: StagedWork<Result>,
  signal: AbortSignal,
  events: CallEvents<Event> | undefined,
): AsyncGenerator<Event, Result> {
  if (!events) return await work(() => undefined, signal);
  const stages: CallStage[] = [];
  let changed = Promise.withResolvers<void>();
  const state = { isSettled: false };
  const abandoned = new AbortController();
  const done = work(
    (stage) => {
      stages.push(stage);
      changed.resolve();
    },
    AbortSignal.any([signal, abandoned.signal]),
  ).finally(() => {
    state.isSettled = true;
    changed.resolve();
  });
  // The work may fail while the caller commits a stage, before its result is awaited.
  done.catch(() => undefined);
  try {
    for (;;) {
      for (let stage = stages.shift(); stage; stage = stages.shift()) yield events.stageReached(stage);
      if (state.isSettled) return await done;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    if (!state.isSettled) abandoned.abort(new InterruptedError("This process no longer executes the run."));
  }
}

const MAX_SUGGESTIONS = 5;
/** The number of suggestions by spelling; the others are chosen by meaning. */
const MAX_BY_SPELLING = 3;

/** Throws `SkillNotFoundError` with ids of similar spelling or meaning: `fs_reader` suggests `fs_read`. */
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
