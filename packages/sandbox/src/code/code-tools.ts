import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";

/** Code compiled to JavaScript. */
export interface CompiledModule {
  module: string;
  /** The source position of each line, from the first: `line 3`, `tests line 1`. */
  places: readonly string[];
  /** The skills that the source calls, sorted by name, `function` excluded. */
  skills: readonly string[];
  /** True if it also uses skills without naming them: `skills[name]`. */
  hidesSkills: boolean;
  /** Present if the sources contain tests. */
  tests?: CompiledTests;
}

/** The tests as an export of the module. The code cannot guess either text. */
export interface CompiledTests {
  /** The export: a function that returns the tests as an async function of `assert`, `fake`, `main` and `Promise`. */
  name: string;
  /** The value that the tests resolve to after their last statement. */
  end: string;
}

/** A skill that the source calls, with the position of its first call. */
export interface CalledSkill {
  skill: string;
  at: CodePlace;
}

/** The result of an inspection, which does not run the code. */
export interface CodeReport {
  syntax: CodeProblem[];
  /** Empty after a syntax error, as are `lint` and `skills`. */
  types: CodeProblem[];
  lint: CodeProblem[];
  /** The skills that the source calls, sorted by name. */
  skills: CalledSkill[];
}

/** Receives each part of a report as soon as it is available: syntax, then types, then lint. */
export type OnCheck = (part: ReadPart, problems: readonly CodeProblem[]) => void;

export type ReadPart = "syntax" | "types" | "lint";

export interface FunctionSources {
  /** A TypeScript module that exports `main`. */
  source: string;
  /** Statements with access to everything that the module declares. */
  tests?: string;
}

export interface InspectedSources extends FunctionSources {
  /** The TypeScript declarations available to the code: `ambientApi`. */
  api: string;
  /** The TypeScript type of the object that `main` receives. */
  parameters: string;
}

/**
 * Parses, checks and compiles TypeScript in a separate limited process. Rejects with `SandboxTimeoutError` or
 * `SandboxCrashedError` if the code exceeds its limits, and with the reason of `signal`.
 */
export interface CodeTools {
  /** Throws `FunctionError` that names every syntax error. Results are cached by content. */
  compile(sources: FunctionSources, signal?: AbortSignal): Promise<CompiledModule>;
  /**
   * Compiles one-off code: a module that exports `main`, or statements, of which the last one is the result if it is an
   * expression.
   */
  compileSnippet(code: string, signal?: AbortSignal): Promise<CompiledModule>;
  inspect(sources: InspectedSources, signal?: AbortSignal, onFound?: OnCheck): Promise<CodeReport>;
}

export interface OpenedCodeTools extends CodeTools {
  /** Ends the process. Pending calls throw `SandboxCrashedError`. */
  close(): Promise<void>;
}
