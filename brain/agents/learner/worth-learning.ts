import { fieldsWithOwnText } from "@metahuman/core/functions/learning/known-outputs";
import type { GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import type { FactsOf } from "@metahuman/core/functions/learning/learnable-run";
import { contentWords } from "@metahuman/core/text/words";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import { piecesOf, sourcesIn } from "@metahuman/core/contract/placeholders";

/**
 * Why a function of the run would help with no later request; undefined if it is worth a draft. A function is worth one if something of it
 * stays when the values change: a place, a text, the form of a composed text, a result that a later call uses, or
 * several different calls.
 */
export function reasonNotWorthLearning(learned: GeneralizedRun, factsOf: FactsOf): string | undefined {
  if (isOneCalculation(learned, factsOf))
    return "Its result is one calculation with the numbers of this request.";
  if (isPlainList(learned, factsOf))
    return "It makes one call for each thing that this request lists, and nothing else stays the same.";
  if (!learned.isReplayable && hasOnlyOwnFigures(learned, factsOf))
    return "A model worked out its figures for this request, and nothing else stays the same.";
  return undefined;
}

/**
 * True for a question whose calls read what the request names and end with an expression of numbers only: nothing in it holds
 * for the next question. A file that the request does not name, and code, would show the next planner something.
 */
function isOneCalculation(
  { actions, parameters, provenance, composedValues, isReplayable }: GeneralizedRun,
  factsOf: FactsOf,
): boolean {
  const composed = Object.values(composedValues);
  return (
    !isReplayable &&
    actions.every(({ skill }) => factsOf(skill)?.reads === true) &&
    parameters.every((one) => one.default === undefined) &&
    provenance.every(({ from }) => from === "request" || from === "composed") &&
    composed.length > 0 &&
    composed.every((value) => !/\p{L}/u.test(String(value)))
  );
}

/** True for one skill that is called several times, with nothing but values of the request: the next list has another length. */
const isPlainList = (learned: GeneralizedRun, factsOf: FactsOf): boolean =>
  learned.isReplayable &&
  learned.actions.length > 1 &&
  new Set(learned.actions.map(({ skill }) => skill)).size === 1 &&
  !hasReusableParts(learned, factsOf);

/** True if nothing was found or stays, and the composed texts are figures of this request: what a model worked out once. */
function hasOnlyOwnFigures(learned: GeneralizedRun, factsOf: FactsOf): boolean {
  const { prompt } = learned.example;
  const texts = Object.values(learned.composedValues).map(String);
  return (
    texts.some((text) => hasOwnFigures(text, prompt)) &&
    !texts.some((text) => hasForm(text, prompt)) &&
    !hasReusableParts(learned, factsOf) &&
    !learned.calls.some(
      (call) =>
        factsOf(call.skill)?.finds === true &&
        fieldsWithOwnText(call).some((field) => leavesOf(call.outputs[field]).some(isText)),
    )
  );
}

/** True for words or several figures; the result of a calculation is one figure. */
const isText = ({ value }: { value: unknown }): boolean =>
  typeof value === "string" && /\p{L}{2}|\S\s+\S/u.test(value);

/** A composed text of at least this length, in characters, or of several lines has a form that the next one may have. */
const MIN_FORM = 60;
const FIGURE = /\d+(?:[.,]\d+)*/gu;

/** True for a composed text that the next one may resemble: one around words of the request, without figures of its own. */
function hasForm(text: string, request: string): boolean {
  if (text.includes("\n") || text.length >= MIN_FORM) return true;
  const asked = new Set(contentWords(request));
  const words = contentWords(text.replaceAll(FIGURE, " "));
  return words.some((word) => asked.has(word)) && !hasOwnFigures(text, request);
}

/** True for a text with a figure that the request does not contain. */
function hasOwnFigures(text: string, request: string): boolean {
  const figures = new Set(request.match(FIGURE));
  return (text.match(FIGURE) ?? []).some((one) => !figures.has(one));
}

/** True if something can be reused: a text that is constant or joins several values, a default, a found place, or a result of an earlier call. */
function hasReusableParts({ actions, parameters }: GeneralizedRun, factsOf: FactsOf): boolean {
  const constants = actions.flatMap(({ skill, args }) =>
    Object.entries(args).flatMap(([name, value]) =>
      factsOf(skill)?.fixedArgs.includes(name) === true ? [] : leavesOf(value),
    ),
  );
  return (
    parameters.some((one) => one.default !== undefined || one.description.includes("last time")) ||
    actions.some(({ args }) => sourcesIn(args).some(({ kind }) => kind === "step")) ||
    constants.some(({ value }) => {
      if (typeof value !== "string") return false;
      const pieces = piecesOf(value);
      return (
        pieces.length > 1 || pieces.some((piece) => typeof piece === "string" && /\p{L}{2}/u.test(piece))
      );
    })
  );
}
