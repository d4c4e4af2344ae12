import { randomUUID } from "node:crypto";
import { SourceMap, type SourceMapPayload } from "node:module";
import ts from "typescript";
import { z } from "zod";
import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import type { CompiledModule, FunctionSources } from "./code-tools.ts";
import { parse, syntaxProblems } from "./joined-sources.ts";
import { skillUses } from "./lint.ts";
import { formatLine } from "./places.ts";

export type Compiled = CompiledModule & { problems: CodeProblem[] };

const EMPTY_MODULE: CompiledModule = { module: "", places: [], skills: [], hidesSkills: false };

function usesOf(file: ts.SourceFile): Pick<CompiledModule, "skills" | "hidesSkills"> {
  const { called, hidden } = skillUses(file);
  const skills = [...called.keys()].filter((name) => name !== "function").sort();
  return { skills, hidesSkills: hidden.length > 0 };
}

/** Compiles a function, with its tests as an additional export if there are any. */
export function compile(sources: FunctionSources): Compiled {
  const problems = syntaxProblems(sources);
  if (problems.length > 0) return { problems, ...EMPTY_MODULE };
  const { source, tests } = sources;
  const own = {
    ...transpile(source, (line) => formatLine({ part: "source", line: line + 1 })),
    ...usesOf(parse("function.ts", source)),
  };
  return tests === undefined ? { problems, ...own } : { problems, ...withTests(own, tests) };
}

/**
 * The last version in which async functions are compiled to generators, whose promises the sandbox can track:
 * `prelude.js`.
 */
const TESTS_TARGET = ts.ScriptTarget.ES2016;

function withTests(own: CompiledModule, tests: string): CompiledModule {
  const name = `tests_${randomUUID().replaceAll("-", "")}`;
  const end = randomUUID();
  const text = `return (async function (assert, fake, main, Promise) {\n${tests}\n;return "${end}";});`;
  const { module, places } = transpile(
    text,
    (line) => formatLine({ part: "tests", line: Math.max(1, line) }),
    TESTS_TARGET,
  );
  return {
    ...own,
    module: `${own.module}\n;export const ${name} = function () {\n${module}\n};\n`,
    places: [...own.places, "", ...places],
    tests: { name, end },
  };
}

/** Compiles one-off code: a module with its own `main`, or statements that become its body. */
export function compileSnippet(code: string): Compiled {
  const file = parse("snippet.ts", code);
  if (file.statements.some(exportsMain)) return compile({ source: code });
  const problems = syntaxProblems({ source: `async () => {\n${code}\n}` }).map(({ at, message }) => ({
    ...(at && { at: lineBefore(at) }),
    message,
  }));
  if (problems.length > 0) return { problems, ...EMPTY_MODULE };
  const text = `export async function main(parameters: Record<string, any>) {\n${withResult(code, file)}\n}`;
  return { problems, ...transpile(text, (line) => `line ${Math.max(1, line)}`), ...usesOf(file) };
}

/** One-off code is wrapped, which adds a line before it. */
function lineBefore(at: CodePlace): CodePlace {
  return { ...at, line: Math.max(1, at.line - 1), endLine: Math.max(1, at.endLine - 1) };
}

function exportsMain(statement: ts.Statement): boolean {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  if (ts.isFunctionDeclaration(statement)) return isExported && statement.name?.text === "main";
  if (ts.isVariableStatement(statement))
    return isExported && statement.declarationList.declarations.some(({ name }) => name.getText() === "main");
  return (
    ts.isExportDeclaration(statement) &&
    statement.exportClause !== undefined &&
    ts.isNamedExports(statement.exportClause) &&
    statement.exportClause.elements.some(({ name }) => name.text === "main")
  );
}

/** Compiles statements whose last expression is the result, as in a notebook. */
function withResult(code: string, file: ts.SourceFile): string {
  const last = file.statements.at(-1);
  if (!last || !ts.isExpressionStatement(last)) return code;
  const { expression } = last;
  const [start, end] = [expression.getStart(file), expression.getEnd()];
  return `${code.slice(0, start)}return (${code.slice(start, end)});${code.slice(last.getEnd())}`;
}

const Payload = z.custom<SourceMapPayload>((value) => typeof value === "object" && value !== null);

function transpile(
  text: string,
  placeOf: (line: number) => string,
  target: ts.ScriptTarget = ts.ScriptTarget.ES2023,
): Pick<CompiledModule, "module" | "places"> {
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    fileName: "function.ts",
    compilerOptions: {
      target,
      module: ts.ModuleKind.ESNext,
      sourceMap: true,
      verbatimModuleSyntax: false,
      isolatedModules: true,
    },
  });
  const map = new SourceMap(Payload.parse(JSON.parse(sourceMapText ?? "{}")));
  const places = outputText.split("\n").map((_, line) => {
    const entry = map.findEntry(line, Number.MAX_SAFE_INTEGER);
    return "originalLine" in entry ? placeOf(entry.originalLine) : "";
  });
  return { module: outputText, places };
}
