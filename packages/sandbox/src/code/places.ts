import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import type ts from "typescript";

/** A line of the sources, counted from 1. */
export type SourceLine = Pick<CodePlace, "part" | "line">;

/** Formats a line: `line 3`, `tests line 1`. */
export function formatLine({ part, line }: SourceLine): string {
  return part === "source" ? `line ${line}` : `tests line ${line}`;
}

/** Returns a range of one part that was parsed separately. Positions count from 0. */
export function placeIn(file: ts.SourceFile, part: CodePlace["part"], start: number, end: number): CodePlace {
  const from = file.getLineAndCharacterOfPosition(start);
  const to = file.getLineAndCharacterOfPosition(Math.max(start, end));
  return {
    part,
    line: from.line + 1,
    column: from.character + 1,
    endLine: to.line + 1,
    endColumn: to.character + 1,
  };
}

/** Formats problems for people and models: one per line, position first. */
export function formatProblems(problems: readonly CodeProblem[]): string {
  return problems.map(({ at, message }) => (at ? `${formatLine(at)}: ${message}` : message)).join("\n");
}
