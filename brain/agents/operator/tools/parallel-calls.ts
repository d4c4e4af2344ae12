import type { Skill } from "@metahuman/skills/define-skill";
import { callHash } from "@metahuman/core/runs/canonical-json";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { executeStep, type PlannedCall } from "./execute-step.ts";
import { guardAgainstLoops } from "../loop/loop-guard.ts";
import type { Move, Step } from "../planner.ts";
import { eventsIn, InterruptedError, type RunContext, type Yielded } from "../loop/run-context.ts";

/** A call to carry out; `planned` is what tells of it, unless that was told before. */
export interface PendingCall extends PlannedCall {
  planned?: StoredEventBody;
}

type Acting = AsyncGenerator<Yielded, "observed" | "waiting">;
type Moved = IteratorResult<Yielded, "observed" | "waiting">;

/**
 * The calls of a move that are made at once: its own and, where the configuration has it, those right behind that read
 * as it does. Never more than `room`, none twice, and none that would go round in circles.
 */
export function parallelCalls(
  move: Extract<Move, { kind: "act" }>,
  room: number,
  { config, skills, run }: RunContext,
): Step[] {
  const steps: Step[] = [move];
  if (!config.performance.parallelSkillExecution || !reads(move, skills)) return steps;
  const made = new Set([hashOf(move)]);
  for (const step of move.alongside ?? []) {
    const isNew =
      !made.has(hashOf(step)) && guardAgainstLoops(step.action, run().scratchpad).kind === "go-on";
    if (steps.length >= room || !isNew || !reads(step, skills)) break;
    made.add(hashOf(step));
    steps.push(step);
  }
  return steps;
}

/**
 * Carries out calls that do not wait for each other. Each goes through the door alone, in order, and the next may begin
 * as soon as it runs; what they found out is told in order too. The first that a person has to decide about comes last:
 * those behind it are not made. Left early, all of them are aborted.
 */
export async function* executeParallel(
  calls: readonly PendingCall[],
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const left = new AbortController();
  const until = { ...context, signal: AbortSignal.any([context.signal, left.signal]) };
  try {
    return yield* allOf(calls, until);
  } finally {
    left.abort(new InterruptedError("Nobody carries the run on here any more."));
  }
}

async function* allOf(
  calls: readonly PendingCall[],
  context: RunContext,
): AsyncGenerator<Yielded, "observed" | "waiting"> {
  const inHand: { acting: Acting; moved: Promise<() => Moved> }[] = [];
  for (const { planned, ...call } of calls) {
    if (planned) yield planned;
    const acting = executeStep(call, context);
    const first = await acting.next();
    if (!first.done && tells(first.value, "action-started")) {
      yield first.value;
      inHand.push({ acting, moved: settled(acting.next()) });
      continue;
    }
    inHand.push({ acting, moved: settled(Promise.resolve(first)) });
    if (!first.done && !tells(first.value, "observation-made")) break;
  }
  let outcome: "observed" | "waiting" = "observed";
  for (const { acting, moved } of inHand) {
    let step = (await moved)();
    while (!step.done) {
      yield step.value;
      step = await acting.next();
    }
    outcome = step.value;
  }
  return outcome;
}

/** What a promise comes to, for when it is its turn: nobody may be waiting yet when it fails. */
function settled(promise: Promise<Moved>): Promise<() => Moved> {
  return promise.then(
    (moved) => () => moved,
    (error: unknown) => () => {
      throw error;
    },
  );
}

const hashOf = ({ action }: Step): string => callHash(action.tool, action.args);

const reads = ({ action }: Step, skills: readonly Skill[]): boolean =>
  skills.find(({ id }) => id === action.tool)?.effects === "read";

const tells = (yielded: Yielded, type: StoredEventBody["type"]): boolean =>
  eventsIn(yielded).some((event) => event.type === type);
