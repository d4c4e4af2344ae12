/** What one run in the sandbox may use. */
export interface SandboxLimits {
  /** Wall time from the start of the code, in milliseconds; waiting for skills counts. */
  wallMs: number;
  /** All memory of the engine, in bytes; rounded up to pages of 64 KiB. */
  memoryBytes: number;
  /** Of the code's call stack, in bytes. */
  stackBytes: number;
  /** Result and log lines together, and the arguments of each call of a skill; in UTF-16 code units of JSON. */
  outputLength: number;
  /** Lines written with `console`. */
  logLines: number;
  /** Calls of skills. */
  hostCalls: number;
}

/** For code that only computes; a caller whose skills take time gives more. */
export const USUAL_LIMITS: Readonly<SandboxLimits> = {
  wallMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputLength: 1_000_000,
  logLines: 1_000,
  hostCalls: 100,
};

/**
 * Carries out one call of a skill for the code; its answer must be JSON. What it throws reaches the code as an error
 * with `code`, `message` and `suggestions`. `signal` is aborted when the run ends first.
 */
export type CallSkill = (
  skill: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Record<string, unknown>>;

/** What every run is given. */
interface Powers {
  /** A JavaScript module without imports, as `CodeTools` makes it. */
  module: string;
  /** Where its lines were written, for what errors say; the module's own lines when left out. */
  places?: readonly string[];
  /**
   * The skills that `skills` has; whether one may be called is decided in `callSkill`. `function.<name>` becomes
   * `skills.function.<name>`, which gives the `result` of what `callSkill` resolves to.
   */
  skills: readonly string[];
  callSkill: CallSkill;
  limits?: Partial<SandboxLimits>;
  /** Whose run it is: processes are shared fairly between owners. Runs without one share a share. */
  owner?: string;
  /** How many runs wait for this one; 0 when missing. Each depth has a share of its own, so that no run waits for itself. */
  depth?: number;
  /** Ends the run with its reason. */
  signal?: AbortSignal;
}

/** A module that exports `main`, to be called once with `parameters`. */
export interface FunctionRun extends Powers {
  parameters: Record<string, unknown>;
}

/** A module with tests, whose end must be reached. They, and not the code, have `assert`, and `fake` to answer for skills. */
export interface TestRun extends Powers {
  /** Where the module holds its tests, as `CodeTools` says. */
  tests?: { name: string; end: string };
}

export interface FunctionOutcome {
  /** JSON; `null` when nothing was returned. */
  result: unknown;
  /** What the code said with `console`. */
  logs: string[];
  hostCalls: number;
  /** Of the run itself, waiting for a free process left out. */
  durationMs: number;
}

export interface TestOutcome {
  /** How many assertions were made; 0 tests nothing. */
  assertions: number;
  /** How many of them were made after `main` had returned once. */
  afterMain: number;
  logs: string[];
  durationMs: number;
}

/**
 * Runs code that nobody trusts: in an engine of its own inside a process of its own, with no network, files, environment
 * or imports. Both runs throw `SandboxTimeoutError`, `SandboxMemoryError`, `SandboxStackError`, `SandboxOutputError`,
 * `SandboxCallsError`, `SandboxCrashedError`, or `FunctionError` for what the code did wrong by itself.
 */
export interface Sandbox {
  run(run: FunctionRun): Promise<FunctionOutcome>;
  /**
   * Resolves only when the last statement was reached, no assertion failed, and no promise of the tests is pending or
   * rejected unhandled. Throws `FunctionError` where there are no tests.
   */
  test(run: TestRun): Promise<TestOutcome>;
}

export interface OpenedSandbox extends Sandbox {
  /** Ends every process. Running code fails with `SandboxCrashedError`. */
  close(): Promise<void>;
}
