import { PlanInvalidError } from "@metahuman/core/errors/run-errors";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { Interpretation } from "@metahuman/core/language/grammar/plan";
import { ModelError } from "@metahuman/models/model-error";
import { findingsOf } from "../answer/built-in-answer-writer.ts";
import { endingTexts } from "../answer/ending-texts.ts";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { interpretRequest } from "./built-in/interpret-request.ts";
import { watchedAnswerText } from "./watched-answer-text.ts";

/**
 * Plans with `planner` while its models can be reached. If the first call fails, or its reply stays unreadable, the built-in
 * planner takes over the requests that it explains completely. If a later call fails, the run ends `failed` and the answer lists what was done, after the
 * part of the model's own answer that the person already reads. One instance serves one run.
 */
export function withFallback(planner: Planner, builtIn: Planner): Planner {
  let current = planner;
  let hasPlanned = false;
  return {
    get name() {
      return current.name;
    },
    async next(state, signal) {
      if (current !== planner) return current.next(state, signal);
      const { onAnswerText, hasBegun } = watchedAnswerText(state.onAnswerText);
      try {
        const decision = await planner.next({ ...state, onAnswerText }, signal);
        hasPlanned = true;
        return decision;
      } catch (error) {
        if (!isFailureOfModel(error)) throw error;
        if (!hasPlanned && state.scratchpad.length === 0 && (await isUnderstood(state))) {
          state.onWarning?.(`${error.message} The run continued without a model.`);
          current = builtIn;
          return builtIn.next(state, signal);
        }
        if (error instanceof PlanInvalidError) throw error;
        return failedAnswer(error, state, hasBegun() ? (state.shownAnswer?.().trim() ?? "") : "");
      }
    },
  };
}

const isFailureOfModel = (error: unknown): error is ModelError | ModelUnavailableError | PlanInvalidError =>
  error instanceof ModelError || error instanceof ModelUnavailableError || error instanceof PlanInvalidError;

/** True if the built-in planner explains the request completely. */
async function isUnderstood(state: PlanState): Promise<boolean> {
  const interpretation = await interpretRequest(state);
  return interpretation.kind !== "not-understood" && !isGuess(interpretation);
}

/** True for a plan that fills a text argument with the result of a free-text search. */
function isGuess(interpretation: Interpretation): boolean {
  if (interpretation.kind !== "plan") return false;
  const { calls } = interpretation;
  return calls.some(({ args }) =>
    Object.values(args).some(
      (value) =>
        value.from === "call" && value.take === "text" && (calls[value.call]?.freeText.length ?? 0) > 0,
    ),
  );
}

/** The answer of a failed run. `begun`: the part of the model's answer that the person already reads. */
function failedAnswer(
  error: ModelError | ModelUnavailableError,
  { scratchpad, skills, timeZone, locale, request, conversation }: PlanState,
  begun: string,
): PlannerDecision {
  const wasCutOff = error instanceof ModelError && error.reason === "truncated";
  const texts = endingTexts({ request, conversation });
  const next = wasCutOff ? texts.askAgain : texts.whenBack;
  const results = findingsOf(scratchpad, skills, { timeZone, locale }).map(({ sentence }) => `- ${sentence}`);
  const text = [
    ...(begun === "" ? [] : [begun, "", texts.answerEnds, ""]),
    texts.modelFailed(error.message),
    ...(results.length > 0 ? ["", texts.doneUntilThen, ...results, ""] : []),
    // The model had not said whether a step is left.
    results.length > 0 ? `${texts.notDone} ${next}` : `${texts.nothingChanged} ${next}`,
  ].join("\n");
  return {
    kind: "answer",
    thought: wasCutOff ? "The model's reply broke off." : "The model cannot be reached.",
    style: "default",
    text,
    outcome: "failed",
    error: error.toDetail(),
  };
}
