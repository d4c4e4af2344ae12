import type { Observation } from "@metahuman/core/contract/run";
import { hasFoundFigures, unshownOperands } from "../answer/own-texts.ts";
import { type AnswerEvidence, type PreparedEvidence, prepareEvidence } from "../answer/evidence.ts";
import { MAX_CALCULATED_ROWS, numberIn, numericColumns } from "../answer/records.ts";
import { numbersIn } from "../answer/table-claims.ts";

/** A sum of numbers and nothing else. */
const SUM = /^[\d\s.,+€$£]+$/u;
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
function valuesLeftOut(expression: string, { tables }: PreparedEvidence): string[] {
  const operands = SUM.test(expression) && expression.includes("+") ? numbersIn(expression) : [];
  if (operands.length < 2) return [];
  for (const { rows, columns, isListing } of tables) {
    if (isListing === true || rows.length > MAX_CALCULATED_ROWS) continue;
    for (const column of numericColumns(rows)) {
      const rest = rows.map((row) => numberIn(row, column));
      const isOfColumn = operands.every((operand) => {
        const at = rest.indexOf(operand);
        if (at !== -1) rest.splice(at, 1);
        return at !== -1;
      });
      if (!isOfColumn) continue;
      if (rest.length === 0) return [];
      const name = [...columns].find(([, index]) => index === column)?.[0];
      const values = `${rest.slice(0, MAX_VALUES).join(", ")}${rest.length > MAX_VALUES ? ", …" : ""}`;
      return [
        `The column${name === undefined ? "" : ` ${name}`} of the table also has ${values}, which this leaves out.`,
      ];
    }
  }
  return [];
}
