import type { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";

/** Code that is about to be run, as JavaScript. */
export interface CompiledModule {
  module: string;
  /** The source position of each line, from the first: `line 3`, `tests line 1`. */
  places: readonly string[];
  /** Present when the sources hold tests. */
  tests?: CompiledTests;
}

/** Tests as an export of the module; neither text can be known to the code. */
export interface CompiledTests {
  /** The export: a function that returns the tests as an async function of `assert`, `fake`, `main` and `Promise`. */
  name: string;
  /** What the tests resolve to when their last statement was reached. */
  end: string;
}

/** A skill that the source calls, with the position of its first call. */
export interface CalledSkill {
  skill: string;
  at: CodePlace;
}

/** What a look at the code says, without running it. */
export interface CodeReport {
  syntax: CodeProblem[];
  /** Empty after a syntax error, as are `lint` and `skills`. */
  types: CodeProblem[];
  lint: CodeProblem[];
  /** The skills that the source calls, in order of their names. */
  skills: CalledSkill[];
}

/** Receives each part of a report as soon as it is available: syntax, then types, then lint. */
export type OnCheck = (part: ReadPart, problems: readonly CodeProblem[]) => void;

export type ReadPart = "syntax" | "types" | "lint";

export interface FunctionSources {
  /** A TypeScript module that exports `main`. */
  source: string;
  /** Statements that see everything the module declares. */
  tests?: string;
}

export interface InspectedSources extends FunctionSources {
  /** The TypeScript declarations that the code may use: `ambientApi`. */
  api: string;
  /** The type of the object that `main` takes, in TypeScript. */
  parameters: string;
}

/**
 * Reads, checks and translates TypeScript in a limited process of its own, off the event loop. Rejects with
 * `SandboxTimeoutError` or `SandboxCrashedError` when the code was too much for it, and with the reason of `signal`.
 */
export interface CodeTools {
  /** Throws `FunctionError` that names every syntax error. Kept by content: the second time costs nothing. */
  compile(sources: FunctionSources, signal?: AbortSignal): Promise<CompiledModule>;
  /** One-off code: a module that exports `main`, or statements, of which the last, if it is an expression, is the result. */
  compileSnippet(code: string, signal?: AbortSignal): Promise<CompiledModule>;
  inspect(sources: InspectedSources, signal?: AbortSignal, onFound?: OnCheck): Promise<CodeReport>;
}

export interface OpenedCodeTools extends CodeTools {
  /** Ends the process. Pending calls throw `SandboxCrashedError`. */
  close(): Promise<void>;
}
