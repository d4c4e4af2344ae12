import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import ts from "typescript";
import type { FunctionSources } from "./code-tools.ts";
import { placeIn, type SourceLine } from "./places.ts";

/** A function's source followed by its tests, as one module for the type checker. */
export interface JoinedSources {
  text: string;
  /** Maps a line of the module, from 0, to its source. */
  lineOf(line: number): SourceLine;
}

export function joinSources({ source, tests }: FunctionSources): JoinedSources {
  const own = source.split("\n").length;
  return {
    // Only the tests have assert and fake. The semicolon ends the source's last line.
    text:
      tests === undefined
        ? source
        : `${source}\n;(async (assert: Assert, fake: Fake): Promise<void> => {\n${tests}\n});`,
    lineOf: (line) =>
      line < own ? { part: "source", line: line + 1 } : { part: "tests", line: Math.max(1, line - own) },
  };
}

export function parse(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
}

/**
 * Returns the syntax errors of source and tests. Each is parsed separately, because an unfinished comment in one would
 * hide the other. Compilation alone would silently drop invalid text.
 */
export function syntaxProblems({ source, tests }: FunctionSources): CodeProblem[] {
  return [...problemsIn(source, "source"), ...(tests === undefined ? [] : problemsIn(tests, "tests"))];
}

function problemsIn(text: string, part: CodePlace["part"]): CodeProblem[] {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: "function.ts",
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ file, start = 0, length = 0, messageText }) => ({
    ...(file && { at: placeIn(file, part, start, start + length) }),
    message: ts.flattenDiagnosticMessageText(messageText, " "),
  }));
}
