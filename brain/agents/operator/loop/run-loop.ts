import { wholeWords } from "@metahuman/core/text/patterns";
import type { ContextPackage, ConversationContext, RelevantFunction } from "@metahuman/core/contract/context";
import type { Persona } from "@metahuman/core/contract/profile";
import { regionOf } from "@metahuman/core/contract/region";
import { type Action, ResponseStyle, type RunOutcome } from "@metahuman/core/contract/run";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { rejectOnAbort } from "@metahuman/core/async/reject-on-abort";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import { RunLostError, type StoredEventBody } from "@metahuman/core/runs/run-store";
import { gatedAnswer } from "../answer/answer-gate.ts";
import { type Answer, ANSWER_SKILL } from "../answer/answer-writer.ts";
import { indexEvidence, isObserved } from "../answer/evidence.ts";
import {
  answerAsWritten,
  answerDespite,
  evidenceOf,
  findingsOfReview,
  isModelPlanner,
  isWordedByModel,
  review,
} from "../answer/review.ts";
import type { PlannerDecision, PlanState, Step } from "../planner.ts";
import { executeStep, refuse } from "../tools/execute-step.ts";
import { executeParallel, parallelCalls, withCallsLeftOut } from "../tools/parallel-calls.ts";
import { deniedSkills } from "./effective-policy.ts";
import { appendSentence, earlyAnswer, endRun, stepBudget, stepsTaken } from "./end-run.ts";
import { guardAgainstLoops, stepOfSameCall } from "./loop-guard.ts";
import {
  InterruptedError,
  nextStep,
  type RunContext,
  type RunDependencies,
  type Yielded,
} from "./run-context.ts";
import { createBuiltInAnswerWriter } from "../answer/built-in-answer-writer.ts";
import { endingTexts } from "../answer/ending-texts.ts";

/**
 * Runs the loop from the run's current state: a new run, an approved call, an answered question, or a step that a crash
 * left open. Yields events; the scheduler commits each one before it asks for the next. Returns when the run has ended
 * or waits for a person. Throws `InterruptedError` when the run must pause, and `RunLostError` when another process owns
 * it.
 */
export async function* runLoop(dependencies: RunDependencies): AsyncGenerator<Yielded, void> {
  const warnings: string[] = [];
  let rejectedAnswer: string | undefined;
  const loadedContext = yield* loadContext(dependencies);
  const { onAnswerText, shownAnswer } = gateAnswerText(dependencies, () => context.state());
  const context: RunContext = {
    ...dependencies,
    onAnswerText,
    state: () => ({
      ...planState({ ...dependencies, onAnswerText }, loadedContext, (warning) => warnings.push(warning)),
      shownAnswer,
      ...(rejectedAnswer !== undefined && { rejectedAnswer }),
    }),
    countWorkspace: async () => {
      loadedContext.workspace = await dependencies.workspace();
    },
    rejectAnswer: (answer) => {
      rejectedAnswer = answer;
    },
    takeWarnings: () =>
      [...new Set(warnings.splice(0))]
        .filter((message) => !dependencies.run().warnings.includes(message))
        .map((message) => ({ type: "warning-raised", message })),
  };
  try {
    const matched = matchedFunctionEvents(context);
    if (matched.length > 0) yield matched;
    yield* runSteps(context);
  } catch (error) {
    const reason: unknown = context.signal.aborted ? context.signal.reason : error;
    if (reason instanceof InterruptedError || reason instanceof RunLostError) throw reason;
    const detail = toErrorDetail(reason);
    if (reason instanceof CancelledError)
      return yield* endRun({ outcome: "cancelled", ...shownUntilNow(shownAnswer()), error: detail }, context);
    if (!(reason instanceof MetahumanError)) context.logError("A run failed unexpectedly.", reason);
    yield* endRun(
      {
        outcome: "failed",
        answer: earlyAnswer(endingTexts(context.state()).failed(detail), context),
        error: detail,
      },
      context,
    );
  }
}

/** The text that the person has already read when they stop a run. It stays in the conversation, and is not remembered. */
function shownUntilNow(text: string): { answer?: Answer } {
  return text.trim() === "" ? {} : { answer: { text, style: "default", verbatim: false, confirmed: "" } };
}

/** Streams a model's answer as it arrives; claims are checked before they are shown. */
function gateAnswerText(
  dependencies: RunDependencies,
  state: RunContext["state"],
): { onAnswerText: RunContext["onAnswerText"]; shownAnswer: () => string } {
  let shown = "";
  const show = (text: string, offset: number) => {
    shown = shown.slice(0, offset) + text;
    dependencies.onAnswerText(text, offset);
  };
  const gated = gatedAnswer(() => evidenceOf(state()), show);
  return {
    onAnswerText: (text, offset) => {
      // A new answer whose start is held back shows nothing yet.
      if (offset === 0) shown = "";
      if (isWordedByModel(dependencies)) gated(text, offset);
      else show(text, offset);
    },
    shownAnswer: () => shown,
  };
}

async function* runSteps(context: RunContext): AsyncGenerator<Yielded, void> {
  const budget = stepBudget(context.config, context.flags, context.request.request.reasoningDepth);
  if ((yield* finishOpenSteps(context)) === "pause") return;
  // Read once: a call that is forbidden only later is refused when it would be made.
  const denied = deniedSkills(context.skills, await context.currentPolicy(), context.now());
  /** Set when an answer to unfinished work was rejected: without steps, the next answer finishes no more. */
  let isUnfinished = false;
  for (;;) {
    const move = await decideNext(context, { budget, denied });
    yield* context.takeWarnings();
    // A model may have chosen the function only now.
    const chosen = matchedFunctionEvents(context);
    if (chosen.length > 0) yield chosen;
    const { scratchpad } = context.run();
    const step = nextStep(context);
    const taken = stepsTaken(scratchpad);
    if (move.kind === "answer") {
      const written = yield* answer(move, step, context);
      const error = move.error ?? written.error;
      const usual = isUnfinished && taken >= budget ? "stopped" : "answered";
      const outcome: RunOutcome = written.error ? "failed" : (move.outcome ?? usual);
      // The operator's own code writes the answer of a failed run, so it needs no review.
      const reviewed = outcome === "failed" ? written : yield* review(written, context);
      if (reviewed === "rejected") {
        if (outcome === "stopped") isUnfinished = true;
        continue;
      }
      if (outcome === "stopped")
        return yield* endRun(
          { outcome, answer: appendSentence(reviewed, endingTexts(context.state()).stopped(taken), context) },
          context,
        );
      return yield* endRun({ outcome, answer: reviewed, ...(error && { error }) }, context);
    }
    const { action } = move;
    if (action.tool === ANSWER_SKILL && !context.planner.composes?.(step)) {
      yield planningEvents(move, step, context);
      const written = yield* executeAnswerStep(step, action, context);
      const { error } = written;
      if (error) return yield* endRun({ outcome: "failed", answer: written, error }, context);
      const reviewed = yield* review(written, context);
      if (reviewed === "rejected") continue;
      return yield* endRun({ outcome: "answered", answer: reviewed }, context);
    }

    if (stepsTaken([...scratchpad, { action }]) > budget)
      return yield* endRun(
        { outcome: "stopped", answer: earlyAnswer(endingTexts(context.state()).stopped(taken), context) },
        context,
      );
    const verdict = guardAgainstLoops(action, context.state().scratchpad);
    if (verdict.kind === "stuck") {
      return yield* endRun(
        {
          outcome: "stuck",
          answer: earlyAnswer(endingTexts(context.state()).stuck(verdict.reason), context),
        },
        context,
      );
    }
    const reason = verdict.kind === "refuse" ? verdict.reason : reasonAgainstRepeating(action, context);
    if (reason !== undefined) {
      const [refused = move] = withCallsLeftOut([move], move, context);
      yield planningEvents(refused, step, context);
      yield* refuse({ step, action }, reason);
      continue;
    }
    const made = parallelCalls(move, Math.max(1, budget - taken), context);
    const calls = withCallsLeftOut(made, move, context).map((one, index) => ({
      step: step + index,
      action: one.action,
      ...(one.leftOut && { leftOut: one.leftOut }),
      planned: planningEvents(one, step + index, context),
    }));
    if ((yield* executeParallel(calls, context)) === "waiting") return;
  }
}

const ASKS_FOR_REPETITION = new RegExp(
  wholeWords(
    String.raw`twice|thrice|(?:two|three|\d+) times|double|again|zweimal|dreimal|doppelt|nochmals?|deux fois`,
    "dos veces|två gånger",
  ),
  "iu",
);

/** Why a model may not make this call again: it would make the same thing twice. Recipes and plain requests may. */
function reasonAgainstRepeating(action: Action, { planner, request, run }: RunContext): string | undefined {
  const mayRepeat = !isModelPlanner(planner) || ASKS_FOR_REPETITION.test(request.request.goal);
  const step = mayRepeat ? undefined : stepOfSameCall(action, run().scratchpad);
  return step === undefined
    ? undefined
    : `${action.tool} was carried out in step ${String(step)} with exactly these arguments, so it was not repeated.`;
}

/** Executes the calls that were planned before the run paused: a person approved or answered them, or a crash cut them off. */
async function* finishOpenSteps(context: RunContext): AsyncGenerator<Yielded, "continue" | "pause"> {
  const open = context
    .run()
    .scratchpad.flatMap(({ step, action, observation }) =>
      action && !observation ? [{ step, action }] : [],
    );
  const [first] = open;
  if (first?.action.tool !== ANSWER_SKILL || context.planner.composes?.(first.step))
    return (yield* executeParallel(open, context)) === "waiting" ? "pause" : "continue";
  const written = yield* executeAnswerStep(first.step, first.action, context);
  const { error } = written;
  const reviewed = error ? written : yield* review(written, context);
  if (reviewed === "rejected") return "continue";
  yield* endRun(
    { outcome: error ? "failed" : "answered", answer: reviewed, ...(error && { error }) },
    context,
  );
  return "pause";
}

/** The planner's next move. When the review rejected the answer and no step is left, the answer is rewritten instead. */
async function decideNext(
  context: RunContext,
  { budget, denied }: { budget: number; denied: ReturnType<typeof deniedSkills> },
): Promise<PlannerDecision> {
  const signal = AbortSignal.any([context.signal, context.closing]);
  signal.throwIfAborted();
  const { scratchpad } = context.run();
  if (findingsOfReview(scratchpad) !== "" && stepsTaken(scratchpad) >= budget)
    return { kind: "answer", thought: "No step is left to gather more information.", style: "default" };
  if (scratchpad.at(-1)?.observation?.success === true) await context.countWorkspace();
  const state = { ...context.state(), deniedSkills: denied };
  const planning = new AbortController();
  const [move] = await Promise.all([
    rejectOnAbort(context.planner.next(state, signal), signal)
      .catch((error: unknown) => answerDespite(error, state))
      .finally(() => planning.abort()),
    isWordedByModel(context) && scratchpad.some(isObserved)
      ? indexEvidence(evidenceOf(state), planning.signal)
      : undefined,
  ]);
  const isFailed = move.kind === "answer" && move.outcome === "failed";
  return (isFailed && move.error && answerAsWritten(state, move.error.message)) || move;
}

function planningEvents(
  { thought, reading, asks, action, functionId }: Step,
  step: number,
  context: RunContext,
): StoredEventBody {
  const planner = context.planner.name;
  // A step may only name a function that the run was offered.
  const isOffered = context.run().functionsUsed.some(({ id }) => id === functionId);
  return {
    type: "step-planned",
    step,
    thought,
    ...(reading && { reading }),
    ...(asks && { asks }),
    action,
    ...(functionId !== undefined && isOffered && { functionId }),
    planner,
  };
}

/** The event that names the function a replay follows; at most once per run. */
function matchedFunctionEvents({ planner: { matched }, run }: RunContext): StoredEventBody[] {
  const isAnnounced = run().functionsUsed.some(({ id }) => id === matched?.id);
  if (matched === undefined || isAnnounced) return [];
  const { id, title, score, reason } = matched;
  return [{ type: "function-matched", function: { id, title, followed: false }, score, reason }];
}

/** The input of a planner besides the run. */
export interface LoadedContext {
  /** Undefined when the flags switch it off, or when it could not be built. */
  contextPackage: ContextPackage | undefined;
  /** The persona when there is no context package. */
  persona?: Persona;
  conversation: ConversationContext;
  /** The calls of the earlier runs of the conversation, oldest first. */
  earlierCalls: readonly EarlierCall[];
  workspace: PlanState["workspace"];
}

/** Loads the context for the request. A failure becomes a warning; the run continues without context. */
async function* loadContext(dependencies: RunDependencies): AsyncGenerator<Yielded, LoadedContext> {
  const [conversation, workspace] = await Promise.all([
    dependencies.conversation(),
    dependencies.workspace(),
  ]);
  const hasEarlier = conversation.turns.some(({ role }) => role === "operator");
  const earlier = hasEarlier ? await dependencies.earlier() : [];
  const earlierCalls = earlier.toReversed().flatMap(({ calls }) => calls);
  const loaded = { conversation, earlierCalls, workspace };
  const withoutContext = { contextPackage: undefined, ...loaded };
  if (!dependencies.flags.useContextPackage) {
    const persona = await dependencies.persona();
    return { ...withoutContext, ...(persona && { persona }) };
  }
  const startedAt = performance.now();
  try {
    const contextPackage = await rejectOnAbort(
      dependencies.buildContext(dependencies.signal),
      dependencies.signal,
    );
    // A resumed run has already recorded its context.
    if (dependencies.run().context === undefined)
      yield [
        contextBuilt(contextPackage, performance.now() - startedAt),
        ...contextPackage.relevantFunctions.map(functionMatched),
      ];
    return { contextPackage, ...loaded };
  } catch (error) {
    // The loop handles the abort itself.
    if (dependencies.signal.aborted) return withoutContext;
    dependencies.logError("The context could not be built.", error);
    const message = "Memory could not be searched for this request.";
    yield { type: "warning-raised", message, error: toErrorDetail(error) };
    return withoutContext;
  }
}

function contextBuilt(contextPackage: ContextPackage, durationMs: number): StoredEventBody {
  const { memories, relevantFunctions, budget, explanation } = contextPackage;
  return {
    type: "context-built",
    memories: memories.length,
    functions: relevantFunctions.length,
    tokens: budget.used,
    durationMs: Math.round(durationMs),
    warnings: explanation.warnings,
    explanation,
  };
}

function functionMatched({ id, title, score, reason }: RelevantFunction): StoredEventBody {
  return { type: "function-matched", function: { id, title, followed: false }, score, reason };
}

/** The run as its planner sees it now. */
function planState(
  dependencies: RunDependencies,
  loadedContext: LoadedContext,
  onWarning: (message: string) => void,
): PlanState {
  const { id, goal, createdAt, scratchpad } = dependencies.run();
  const budget = stepBudget(
    dependencies.config,
    dependencies.flags,
    dependencies.request.request.reasoningDepth,
  );
  return {
    runId: id,
    request: goal,
    requestedAt: new Date(createdAt),
    now: dependencies.now(),
    ...regionOf(dependencies.request.request),
    scratchpad: [...dependencies.continued, ...scratchpad],
    ...(loadedContext.workspace && { workspace: loadedContext.workspace }),
    stepsLeft: budget - stepsTaken(scratchpad),
    isSingleStep: budget === 1,
    context: loadedContext.contextPackage,
    ...(loadedContext.persona && { persona: loadedContext.persona }),
    conversation: loadedContext.conversation,
    earlier: dependencies.earlier,
    earlierCalls: loadedContext.earlierCalls,
    skills: dependencies.skills,
    onModelCall: (call) => dependencies.onModelCall(call),
    onAnswerText: (text, offset) => dependencies.onAnswerText(text, offset),
    onWarning,
  };
}

/**
 * The answer of a run. The planner's own text is used as it is; otherwise the `conversational_response` skill writes the
 * answer as a step of the run. When that skill fails, the built-in writer lists the observations; without observations,
 * the answer is the error.
 */
async function* answer(
  move: Extract<PlannerDecision, { kind: "answer" }>,
  step: number,
  context: RunContext,
): AsyncGenerator<Yielded, Answer> {
  const { style, thought } = move;
  const planner = context.planner.name;
  if (move.text !== undefined) {
    if (thought !== "") yield { type: "step-planned", step, thought, planner };
    if (!move.streamed) context.onAnswerText(move.text, 0);
    const { text, verbatim = false, suggestions = [], offers = [], isIdle = false } = move;
    const next = {
      ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
      ...(offers.length > 0 && { offers: [...offers] }),
    };
    return { text, style, verbatim, ...next, ...(isIdle && { isIdle }) };
  }

  const { goal, scratchpad } = context.run();
  const note = findingsOfReview(scratchpad) || thought;
  const action = { tool: ANSWER_SKILL, args: { goal, style, ...(note !== "" && { context: note }) } };
  yield { type: "step-planned", step, thought, action, planner };
  return yield* executeAnswerStep(step, action, context);
}

/** Executes a planned call of the answer skill and returns its answer. */
async function* executeAnswerStep(
  step: number,
  action: Action,
  context: RunContext,
): AsyncGenerator<Yielded, Answer> {
  yield* executeStep({ step, action }, context);
  context.signal.throwIfAborted();
  const style = ResponseStyle.catch("default").parse(action.args["style"]);
  const observation = context.run().scratchpad.find((entry) => entry.step === step)?.observation;
  const text = observation?.outputs?.["response"];
  if (typeof text === "string" && text.trim() !== "") return { text, style, verbatim: false };
  const error = observation?.error;
  if (error && !context.state().scratchpad.some(isObserved))
    return { text: endingTexts(context.state()).failed(error), style, verbatim: false, error };
  return { text: await builtInAnswer(style, context), style, verbatim: false };
}

async function builtInAnswer(style: ResponseStyle, context: RunContext): Promise<string> {
  const state = context.state();
  const request = { goal: state.request, context: "", style, scratchpad: state.scratchpad, state };
  return createBuiltInAnswerWriter(context.skills).write(request, {
    signal: context.signal,
    onText: (text, offset) => context.onAnswerText(text, offset),
  });
}
