import ts from "typescript";
import type { CodeProblem, FunctionSources } from "./code-tools.ts";

/** A function's source with its tests behind it, as one module. */
export interface JoinedSources {
  text: string;
  /** Where a line of the module, counted from 0, was written. */
  placeOf(line: number): string;
}

export function joinSources({ source, tests }: FunctionSources): JoinedSources {
  const own = source.split("\n").length;
  return {
    // The semicolon keeps a test that begins with a bracket from being read on from the source's last line.
    text: tests === undefined ? source : `${source}\n;\n${tests}`,
    placeOf: (line) => (line < own ? `line ${line + 1}` : `tests line ${Math.max(1, line - own)}`),
  };
}

export function parse(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
}

/**
 * Syntax errors of source and tests, each read by itself: an unfinished comment in one must not swallow the other.
 * Translating alone would quietly drop what it cannot read.
 */
export function syntaxProblems({ source, tests }: FunctionSources): CodeProblem[] {
  return [...problemsIn(source, "line"), ...(tests === undefined ? [] : problemsIn(tests, "tests line"))];
}

function problemsIn(text: string, word: string): CodeProblem[] {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: "function.ts",
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.map(({ file, start = 0, messageText }) => ({
    place: file ? `${word} ${file.getLineAndCharacterOfPosition(start).line + 1}` : "",
    message: ts.flattenDiagnosticMessageText(messageText, " "),
  }));
}
