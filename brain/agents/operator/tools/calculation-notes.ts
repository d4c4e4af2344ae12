import type { Observation } from "@metahuman/core/contract/run";
import { hasFoundFigures, leftOutOf, unshownOperands } from "../answer/own-texts.ts";
import { type AnswerEvidence, type PreparedEvidence, prepareEvidence } from "../answer/evidence.ts";

const MAX_VALUES = 5;

/**
 * The observation of a calculation that a model wrote, with what it should look at before it relies on the result: operands that nothing
 * shows, and the values of a column of which the calculation adds only some.
 */
export function withCalculationNotes(
  observation: Observation,
  expression: unknown,
  source: AnswerEvidence,
): Observation {
  if (typeof expression !== "string" || !hasFoundFigures(source.scratchpad)) return observation;
  const evidence = prepareEvidence(source);
  const unshown = unshownOperands(expression, evidence);
  const notes = [
    ...(unshown.length > 0
      ? [`Nothing shows ${unshown.join(", ")}: find them out before you use this result.`]
      : []),
    ...valuesLeftOut(expression, evidence),
  ];
  return notes.length === 0
    ? observation
    : { ...observation, content: [observation.content, ...notes].join("\n") };
}

/** A sentence on the values of a column that a sum of its other values leaves out; empty when there are none. */
function valuesLeftOut(expression: string, evidence: PreparedEvidence): string[] {
  const left = leftOutOf(expression, evidence);
  if (left === undefined) return [];
  const values = `${left.values.slice(0, MAX_VALUES).join(", ")}${left.values.length > MAX_VALUES ? ", …" : ""}`;
  const column = left.column === undefined ? "" : ` ${left.column}`;
  return [`The column${column} of the table also has ${values}, which this leaves out.`];
}
