import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";
import type { CodeProblem, InspectedSources } from "./code-tools.ts";
import { joinSources, type JoinedSources } from "./joined-sources.ts";

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2024.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: [],
  skipLibCheck: true,
};
const FUNCTION = "/function.ts";
const API = "/skills.d.ts";
const LIBRARIES = dirname(createRequire(import.meta.url).resolve("typescript/lib/lib.d.ts"));
/** The language's own declarations are the same each time; reading them is most of the work. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** What TypeScript says under `strict` of the function with its tests, and of `main` for these parameters. */
export function checkTypes(sources: InspectedSources): CodeProblem[] {
  const joined = joinSources(sources);
  const asked = `\n;main satisfies (parameters: ${sources.parameters}) => unknown;\n`;
  const files = new Map([
    [FUNCTION, joined.text + asked],
    [API, sources.api],
  ]);
  const host: ts.CompilerHost = {
    getSourceFile: (name, version) => {
      const text = files.get(name);
      return text === undefined ? library(name, version) : ts.createSourceFile(name, text, version, true);
    },
    fileExists: (name) => files.has(name),
    readFile: (name) => files.get(name),
    writeFile: () => undefined,
    getDefaultLibFileName: () => join(LIBRARIES, "lib.d.ts"),
    getDefaultLibLocation: () => LIBRARIES,
    getCurrentDirectory: () => "/",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
  };
  const program = ts.createProgram({ rootNames: [FUNCTION, API], options: OPTIONS, host });
  const lines = joined.text.split("\n").length;
  return [
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSemanticDiagnostics(program.getSourceFile(FUNCTION)),
  ].map((diagnostic) => problem(diagnostic, joined, lines));
}

function library(
  name: string,
  version: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile | undefined {
  if (!libraries.has(name)) {
    const text = dirname(name) === LIBRARIES ? ts.sys.readFile(name) : undefined;
    libraries.set(name, text === undefined ? undefined : ts.createSourceFile(name, text, version));
  }
  return libraries.get(name);
}

function problem(
  { file, start = 0, messageText, code }: ts.Diagnostic,
  joined: JoinedSources,
  lines: number,
): CodeProblem {
  const message = `${ts.flattenDiagnosticMessageText(messageText, " ")} (TS${code})`;
  const line = file?.fileName === FUNCTION ? file.getLineAndCharacterOfPosition(start).line : undefined;
  if (line === undefined) return { place: "", message };
  if (line >= lines)
    return { place: "main", message: `it does not take the declared parameters: ${message}` };
  return { place: joined.placeOf(line), message };
}
