import { CancelledError } from "@metahuman/core/errors/run-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { RunLostError } from "@metahuman/core/runs/open-run-store";
import type { StoredEventBody } from "@metahuman/core/runs/run-store";
import { refuse } from "../tools/execute-step.ts";
import { answer, answerByStep } from "../answer/write-answer.ts";
import { gatedAnswer } from "../answer/answer-gate.ts";
import { indexEvidence, isObserved } from "../answer/evidence.ts";
import { end, inWords, withEnding } from "./end-run.ts";
import { loadContext, planState } from "./load-context.ts";
import { guardAgainstLoops } from "./loop-guard.ts";
import { orAborted } from "../tools/with-timeout.ts";
import type { Move, Step } from "../planner.ts";
import { evidenceOf, findingsOfReview, isWordedByModel, review } from "../answer/review.ts";
import {
  InterruptedError,
  nextStep,
  type RunContext,
  type RunDependencies,
  type Yielded,
} from "./run-context.ts";
import { executeParallel, parallelCalls } from "../tools/parallel-calls.ts";
import { failedSentence, stepBudget, stepsTaken, stoppedSentence, stuckSentence } from "./stop.ts";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";

/**
 * Carries a run on from wherever it stands: its beginning, the call that a person allowed, the question that was
 * answered, the step in which a process died. Yields what happened; the driver commits each event before the next is
 * asked for. Returns when the run has ended or waits for a person; throws `InterruptedError` when it was broken off, and
 * `RunLostError` when another process has taken it over.
 */
export async function* runLoop(dependencies: RunDependencies): AsyncGenerator<Yielded, void> {
  const warnings: string[] = [];
  let sentBack: string | undefined;
  const loadedContext = yield* loadContext(dependencies);
  const answerGrew = checkedWhileGrowing(dependencies, () => context.state());
  const context: RunContext = {
    ...dependencies,
    answerGrew,
    state: () => ({
      ...planState({ ...dependencies, answerGrew }, loadedContext, (warning) => warnings.push(warning)),
      ...(sentBack !== undefined && { sentBack }),
    }),
    sendBack: (answer) => {
      sentBack = answer;
    },
    takeWarnings: () => warnings.splice(0).map((message) => ({ type: "warning-raised", message })),
  };
  try {
    const matched = matchedNow(context);
    if (matched.length > 0) yield matched;
    yield* steps(context);
  } catch (error) {
    const reason: unknown = context.signal.aborted ? context.signal.reason : error;
    if (reason instanceof InterruptedError || reason instanceof RunLostError) throw reason;
    const detail = toErrorDetail(reason);
    if (reason instanceof CancelledError) return yield* end({ outcome: "cancelled", error: detail }, context);
    if (!(reason instanceof MetahumanError)) context.logError("A run failed unexpectedly.", reason);
    yield* end(
      { outcome: "failed", answer: inWords(failedSentence(detail), context), error: detail },
      context,
    );
  }
}

/** Words of a model are shown as they come, but for claims, which are checked first. */
function checkedWhileGrowing(
  dependencies: RunDependencies,
  state: RunContext["state"],
): RunContext["answerGrew"] {
  const gated = gatedAnswer(
    () => evidenceOf(state()),
    (text, offset) => dependencies.answerGrew(text, offset),
  );
  return (text, offset) => {
    if (isWordedByModel(dependencies)) gated(text, offset);
    else dependencies.answerGrew(text, offset);
  };
}

async function* steps(context: RunContext): AsyncGenerator<Yielded, void> {
  const budget = stepBudget(context.config, context.flags, context.request.request.reasoningDepth);
  if ((yield* finishOpenSteps(context)) === "rest") return;
  for (;;) {
    const move = await next(context, budget);
    yield* context.takeWarnings();
    const { scratchpad } = context.run();
    const step = nextStep(context);
    const taken = stepsTaken(scratchpad);
    if (move.kind === "answer") {
      const worded = yield* answer(move, step, context);
      const error = move.error ?? worded.error;
      const { outcome = "answered" } = worded.error ? { outcome: "failed" as const } : move;
      // Code words why a run failed: there is nothing to check.
      const given = outcome === "failed" ? worded : yield* review(worded, context);
      if (given === "sent-back") continue;
      if (outcome === "stopped")
        return yield* end({ outcome, answer: withEnding(given, stoppedSentence(taken), context) }, context);
      return yield* end({ outcome, answer: given, ...(error && { error }) }, context);
    }
    const { action } = move;
    if (action.tool === ANSWER_SKILL && !context.planner.composes?.(step)) {
      yield planned(move, step, context);
      const worded = yield* answerByStep(step, action, context);
      const { error } = worded;
      if (error) return yield* end({ outcome: "failed", answer: worded, error }, context);
      const given = yield* review(worded, context);
      if (given === "sent-back") continue;
      return yield* end({ outcome: "answered", answer: given }, context);
    }

    if (taken >= budget)
      return yield* end({ outcome: "stopped", answer: inWords(stoppedSentence(taken), context) }, context);
    const verdict = guardAgainstLoops(action, context.state().scratchpad);
    if (verdict.kind === "stuck") {
      return yield* end(
        { outcome: "stuck", answer: inWords(stuckSentence(verdict.reason), context) },
        context,
      );
    }
    if (verdict.kind === "refuse") {
      yield planned(move, step, context);
      yield* refuse({ step, action }, verdict.reason);
      continue;
    }
    const calls = parallelCalls(move, budget - taken, context).map((one, index) => ({
      step: step + index,
      action: one.action,
      planned: planned(one, step + index, context),
    }));
    if ((yield* executeParallel(calls, context)) === "waiting") return;
  }
}

/** The calls that were planned before the run was left: allowed or answered by a person, or cut off by the end of a process. */
async function* finishOpenSteps(context: RunContext): AsyncGenerator<Yielded, "go-on" | "rest"> {
  const open = context
    .run()
    .scratchpad.flatMap(({ step, action, observation }) =>
      action && !observation ? [{ step, action }] : [],
    );
  const [first] = open;
  if (first?.action.tool !== ANSWER_SKILL || context.planner.composes?.(first.step))
    return (yield* executeParallel(open, context)) === "waiting" ? "rest" : "go-on";
  const worded = yield* answerByStep(first.step, first.action, context);
  const { error } = worded;
  const given = error ? worded : yield* review(worded, context);
  if (given === "sent-back") return "go-on";
  yield* end({ outcome: error ? "failed" : "answered", answer: given, ...(error && { error }) }, context);
  return "rest";
}

/** The planner's next move; an answer that was sent back when no step is left can only be worded anew. */
async function next(context: RunContext, budget: number): Promise<Move> {
  const signal = AbortSignal.any([context.signal, context.closing]);
  signal.throwIfAborted();
  const { scratchpad } = context.run();
  if (findingsOfReview(scratchpad) !== "" && stepsTaken(scratchpad) >= budget)
    return { kind: "answer", thought: "No step is left to find out more.", style: "default" };
  const state = context.state();
  const planning = new AbortController();
  const [move] = await Promise.all([
    orAborted(context.planner.next(state, signal), signal).finally(() => planning.abort()),
    isWordedByModel(context) && scratchpad.some(isObserved)
      ? indexEvidence(evidenceOf(state), planning.signal)
      : undefined,
  ]);
  return move;
}

function planned({ thought, action, functionId }: Step, step: number, context: RunContext): StoredEventBody {
  const planner = context.planner.name;
  // A step can only follow what the run was offered.
  const isOffered = context.run().functionsUsed.some(({ id }) => id === functionId);
  return {
    type: "step-planned",
    step,
    thought,
    action,
    ...(functionId !== undefined && isOffered && { functionId }),
    planner,
  };
}

/** Tells of the function that the planner was chosen for, once in a run. */
function matchedNow({ planner: { matched }, run }: RunContext): StoredEventBody[] {
  const known = run().scratchpad.some(({ functionId }) => functionId === matched?.id);
  if (matched === undefined || known) return [];
  const { id, title, score, reason } = matched;
  return [{ type: "function-matched", function: { id, title, followed: false }, score, reason }];
}
