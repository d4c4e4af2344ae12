/** The limits of one run in the sandbox. */
export interface SandboxLimits {
  /** Wall time from the start of the code, in milliseconds, including the time of skill calls. */
  wallMs: number;
  /** The total memory of the engine, in bytes; rounded up to pages of 64 KiB. */
  memoryBytes: number;
  /** The size of the code's call stack, in bytes. */
  stackBytes: number;
  /**
   * The total length of result and log lines, and of the arguments of each skill call, in UTF-16 code units of JSON.
   */
  outputLength: number;
  /** The maximum number of lines written with `console`. */
  logLines: number;
  /** The maximum number of skill calls. */
  hostCalls: number;
}

/** The limits for code that only computes; callers whose skills take time use longer ones. */
export const DEFAULT_LIMITS: Readonly<SandboxLimits> = {
  wallMs: 5_000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputLength: 1_000_000,
  logLines: 1_000,
  hostCalls: 100,
};

/**
 * Executes one call of a skill for the code and resolves to JSON. The code receives a thrown error with its `code`,
 * `message` and `suggestions`. `signal` is aborted if the run ends first.
 */
export type CallSkill = (
  skill: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<Record<string, unknown>>;

/** The input of every run. */
interface RunInput {
  /** A JavaScript module without imports, compiled by `CodeTools`. */
  module: string;
  /** The source position of each line, for error messages; by default, the lines of the module. */
  places?: readonly string[];
  /**
   * The properties of `skills`; `callSkill` decides whether one may be called. `function.<name>` becomes
   * `skills.function.<name>`, which resolves to the `result` of the call.
   */
  skills: readonly string[];
  callSkill: CallSkill;
  limits?: Partial<SandboxLimits>;
  /** The owner of the run. Processes are shared fairly between owners; runs without an owner count as one. */
  owner?: string;
  /**
   * The number of runs that wait for this one; default: 0. Each depth has its own processes, so that no run waits for
   * itself.
   */
  depth?: number;
  /** Aborts the run with its reason. */
  signal?: AbortSignal;
}

/** A module that exports `main`, which is called once with `parameters`. */
export interface FunctionRun extends RunInput {
  parameters: Record<string, unknown>;
}

/** A module with tests, which must run to their end. Only the tests have `assert`, and `fake` to replace skills. */
export interface TestRun extends RunInput {
  /** The location of the tests in the module, from `CodeTools`. */
  tests?: { name: string; end: string };
}

export interface FunctionOutcome {
  /** JSON; `null` if nothing was returned. */
  result: unknown;
  /** The lines that the code wrote with `console`. */
  logs: string[];
  hostCalls: number;
  /** The duration of the run without waiting for a free process, in milliseconds. */
  durationMs: number;
}

export interface TestOutcome {
  /** The number of assertions; 0 means that nothing was tested. */
  assertions: number;
  /** The number of assertions made after `main` had returned once. */
  afterMain: number;
  logs: string[];
  durationMs: number;
}

/**
 * Runs untrusted code in a new engine inside a separate process, without network, files, environment or imports. Both
 * methods throw `SandboxTimeoutError`, `SandboxMemoryError`, `SandboxStackError`, `SandboxOutputError`,
 * `SandboxCallsError` or `SandboxCrashedError`, and `FunctionError` for an error of the code itself.
 */
export interface Sandbox {
  run(run: FunctionRun): Promise<FunctionOutcome>;
  /**
   * Resolves only if the last statement was reached, no assertion failed, and no promise of the tests is pending or
   * rejected without a handler. Throws `FunctionError` if there are no tests.
   */
  test(run: TestRun): Promise<TestOutcome>;
}

export interface OpenedSandbox extends Sandbox {
  /** Ends every process. Running code fails with `SandboxCrashedError`. */
  close(): Promise<void>;
}
