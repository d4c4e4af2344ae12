import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import ts from "typescript";
import type { InspectedSources } from "./code-tools.ts";
import { floatingPromises } from "./floating-promises.ts";
import { joinSources, type JoinedSources } from "./joined-sources.ts";

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noUnusedLocals: true,
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
/** The codes of "… is declared but never used". */
const UNUSED: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 6199]);
const LIBRARIES = dirname(createRequire(import.meta.url).resolve("typescript/lib/lib.d.ts"));
/** Caches the language's declarations, because parsing them is most of the work. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** The findings of the type checker and of the lint rules that need types. */
export interface TypeReport {
  types: CodeProblem[];
  lint: CodeProblem[];
}

/** Type-checks a function with its tests under `strict`, and `main` against these parameters. */
export function checkTypes(sources: InspectedSources): TypeReport {
  const joined = joinSources(sources);
  const assertion = `\n;main satisfies (parameters: ${sources.parameters}) => unknown;\n`;
  const files = new Map([
    [FUNCTION, joined.text + assertion],
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
  const file = program.getSourceFile(FUNCTION);
  const { true: unused = [], false: wrong = [] } = Object.groupBy(
    [
      ...program.getSyntacticDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...program.getSemanticDiagnostics(file),
    ],
    ({ code }) => (UNUSED.has(code) ? "true" : "false"),
  );
  const floating = file ? floatingPromises(file, program.getTypeChecker()) : [];
  return {
    types: wrong.map((diagnostic) => problem(diagnostic, joined, lines)),
    lint: [
      ...unused.map((diagnostic) => problem(diagnostic, joined, lines)),
      ...floating.map(({ node, message }) => ({
        at: placeBetween(
          ts.getLineAndCharacterOfPosition(node.getSourceFile(), node.getStart()),
          ts.getLineAndCharacterOfPosition(node.getSourceFile(), node.getEnd()),
          joined,
        ),
        message,
      })),
    ],
  };
}

function library(
  name: string,
  version: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile | undefined {
  if (!libraries.has(name)) {
    const text = dirname(name) === LIBRARIES ? ts.sys.readFile(name) : undefined;
    libraries.set(name, text === undefined ? undefined : parsedLibrary(name, text, version));
  }
  return libraries.get(name);
}

/** Removes comments, which have no types. */
function parsedLibrary(
  name: string,
  text: string,
  version: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile {
  return ts.createSourceFile(name, text, {
    ...(typeof version === "object" ? version : { languageVersion: version }),
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
}

/** What the compiler adds to an unknown name. A function has no project that packages or compiler options could be added to. */
const PROJECT_ADVICE = / Do you need to (?:install type definitions|change your target library).*$/su;

function problem(
  { file, start = 0, length = 0, messageText, code }: ts.Diagnostic,
  joined: JoinedSources,
  lines: number,
): CodeProblem {
  const text = ts.flattenDiagnosticMessageText(messageText, " ").replace(PROJECT_ADVICE, "");
  const message = `${text} (TS${code})`;
  if (file?.fileName !== FUNCTION) return { message };
  const from = file.getLineAndCharacterOfPosition(start);
  if (from.line >= lines) return { message: `main does not take the declared parameters: ${message}` };
  return { at: placeBetween(from, file.getLineAndCharacterOfPosition(start + length), joined), message };
}

/** Maps a range of the joined text to its source. A range that extends beyond its part ends there. */
function placeBetween(
  from: ts.LineAndCharacter,
  to: ts.LineAndCharacter,
  { lineOf }: JoinedSources,
): CodePlace {
  const [begin, end] = [lineOf(from.line), lineOf(to.line)];
  const [endLine, endCharacter] =
    begin.part === end.part ? [end.line, to.character] : [begin.line, from.character];
  return { ...begin, column: from.character + 1, endLine, endColumn: endCharacter + 1 };
}
