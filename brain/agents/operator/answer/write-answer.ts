import { type Action, ResponseStyle } from "@metahuman/core/contract/run";
import { executeStep } from "../tools/execute-step.ts";
import { createBuiltInAnswerWriter } from "./built-in-answer-writer.ts";
import type { PlannerDecision } from "../planner.ts";
import { findingsOfReview } from "./review.ts";
import type { RunContext, Yielded } from "../loop/run-context.ts";
import { failedSentence } from "../loop/end-run.ts";
import { type Answer, ANSWER_SKILL } from "./answer-writer.ts";
import { isObserved } from "./evidence.ts";

/**
 * The answer of a run. The planner's own text is used as it is; otherwise the `conversational_response` skill writes the
 * answer as a step of the run. When that skill fails, the built-in writer lists the observations; without observations,
 * the answer is the error.
 */
export async function* answer(
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
export async function* executeAnswerStep(
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
    return { text: failedSentence(error), style, verbatim: false, error };
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
