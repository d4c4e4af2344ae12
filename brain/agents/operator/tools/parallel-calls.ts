import type { Skill } from "@metahuman/skills/define-skill";
import { callHash } from "@metahuman/core/runs/canonical-json";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { executeStep, type StepCall } from "./execute-step.ts";
import { guardAgainstLoops } from "../loop/loop-guard.ts";
import type { PlannerDecision, Step } from "../planner.ts";
import { eventsIn, InterruptedError, type RunContext, type Yielded } from "../loop/run-context.ts";

/** A call to execute; `planned` is its event, unless that is committed already. */
export interface PendingCall extends StepCall {
  planned?: StoredEventBody;
}

type Execution = AsyncGenerator<Yielded, "observed" | "waiting">;
type Progress = IteratorResult<Yielded, "observed" | "waiting">;

/**
 * The calls of a move that are executed in parallel: its own and, if configured, the reads that directly follow a read.
 * At most `limit` calls, no duplicates, and none that the loop guard refuses.
 */
export function parallelCalls(
  move: Extract<PlannerDecision, { kind: "act" }>,
  limit: number,
  { config, skills, run }: RunContext,
): Step[] {
  const steps: Step[] = [move];
  if (!config.performance.parallelSkillExecution || !reads(move, skills)) return steps;
  const made = new Set([hashOf(move)]);
  for (const step of move.parallel ?? []) {
    const isNew =
      !made.has(hashOf(step)) && guardAgainstLoops(step.action, run().scratchpad).kind === "continue";
    if (steps.length >= limit || !isNew || !reads(step, skills)) break;
    made.add(hashOf(step));
    steps.push(step);
  }
  return steps;
}

/**
 * The steps to make for a move, in order. If a model's reply contained more calls than are made, the thought of the last
 * step names them, so that the next prompt and the trace do. Other planners plan the remaining calls again themselves.
 */
export function withCallsLeftOut(
  steps: readonly Step[],
  { parallel = [] }: Extract<PlannerDecision, { kind: "act" }>,
  { planner }: Pick<RunContext, "planner">,
): Step[] {
  const made = new Set(steps.map(hashOf));
  const leftOut = parallel.filter((step) => !made.has(hashOf(step)));
  const last = steps.at(-1);
  if (!repliesWithCalls(planner) || leftOut.length === 0 || !last) return [...steps];
  return [...steps.slice(0, -1), { ...last, thought: withNoteOf(last.thought, leftOut) }];
}

/** True for the planner whose model makes several calls in one reply and must be told which of them were made. */
const repliesWithCalls = ({ name }: RunContext["planner"]): boolean => name === "tool-calling";

const withNoteOf = (thought: string, leftOut: readonly Pick<Step, "action">[]): string =>
  `${thought}\n\n(This reply also called ${leftOut.map(({ action }) => action.tool).join(", ")}: not carried out in this step.)`;

/**
 * Executes independent calls. They are authorized one after the other, in order; the next one starts as soon as its
 * predecessor runs, and observations are yielded in order. The first call that needs a person ends the sequence: the
 * calls after it are not made, and its thought names them. When the generator is closed early, every call is aborted.
 */
export async function* executeParallel(
  calls: readonly PendingCall[],
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const closed = new AbortController();
  const until = { ...context, signal: AbortSignal.any([context.signal, closed.signal]) };
  try {
    return yield* allOf(calls, until);
  } finally {
    closed.abort(new InterruptedError("This run is no longer executed here."));
  }
}

async function* allOf(
  calls: readonly PendingCall[],
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const started: { execution: Execution; progress: Promise<() => Progress> }[] = [];
  for (const [index, { planned, ...call }] of calls.entries()) {
    const after = calls.slice(index + 1);
    // Whether a call waits for a person is known before its event is committed only if it is authorized first.
    if (planned && after.length === 0) yield planned;
    const execution = executeStep(call, context);
    const first = await execution.next();
    if (planned && after.length > 0)
      yield waitsForPerson(first) ? withCallsAfter(planned, after, context) : planned;
    if (!first.done && includesEvent(first.value, "action-started")) {
      yield first.value;
      started.push({ execution, progress: deferred(execution.next()) });
      continue;
    }
    started.push({ execution, progress: deferred(Promise.resolve(first)) });
    if (waitsForPerson(first)) break;
  }
  let outcome: "observed" | "waiting" = "observed";
  for (const { execution, progress } of started) {
    let step = (await progress)();
    while (!step.done) {
      yield step.value;
      step = await execution.next();
    }
    outcome = step.value;
  }
  return outcome;
}

/** True if the first progress of a call is neither its start nor its outcome. */
const waitsForPerson = ({ done, value }: Progress): boolean =>
  done !== true && !includesEvent(value, "action-started") && !includesEvent(value, "observation-made");

/** The event of a call that waits, with the calls after it, which are not made. */
function withCallsAfter(
  planned: StoredEventBody,
  after: readonly PendingCall[],
  { planner }: Pick<RunContext, "planner">,
): StoredEventBody {
  return planned.type === "step-planned" && repliesWithCalls(planner)
    ? { ...planned, thought: withNoteOf(planned.thought, after) }
    : planned;
}

/** Resolves to a function that returns or throws the outcome, so that an early failure is not an unhandled rejection. */
function deferred(promise: Promise<Progress>): Promise<() => Progress> {
  return promise.then(
    (progress) => () => progress,
    (error: unknown) => () => {
      throw error;
    },
  );
}

const hashOf = ({ action }: Step): string => callHash(action.tool, action.args);

const reads = ({ action }: Step, skills: readonly Skill[]): boolean =>
  skills.find(({ id }) => id === action.tool)?.effects === "read";

const includesEvent = (yielded: Yielded, type: StoredEventBody["type"]): boolean =>
  eventsIn(yielded).some((event) => event.type === type);
