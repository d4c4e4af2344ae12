import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox exceeded the number of skill calls per run. */
export class SandboxCallsError extends MetahumanError {
  override readonly name = "SandboxCallsError";
  readonly code = "SANDBOX_CALLS";
}

/** The sandbox process exited before the code finished. */
export class SandboxCrashedError extends MetahumanError {
  override readonly name = "SandboxCrashedError";
  readonly code = "SANDBOX_CRASHED";
}

/** Code in the sandbox exceeded its memory limit. */
export class SandboxMemoryError extends MetahumanError {
  override readonly name = "SandboxMemoryError";
  readonly code = "SANDBOX_MEMORY";
}

/** Code in the sandbox logged or returned more than its output limit. */
export class SandboxOutputError extends MetahumanError {
  override readonly name = "SandboxOutputError";
  readonly code = "SANDBOX_OUTPUT";
}

/** Code in the sandbox exceeded the recursion limit. */
export class SandboxStackError extends MetahumanError {
  override readonly name = "SandboxStackError";
  readonly code = "SANDBOX_STACK";
}

/** Code in the sandbox exceeded its time limit and was stopped. */
export class SandboxTimeoutError extends MetahumanError {
  override readonly name = "SandboxTimeoutError";
  readonly code = "SANDBOX_TIMEOUT";
}

/** The code of a function failed: it threw, cannot be parsed, or returned a value that is not JSON. */
export class FunctionError extends MetahumanError {
  override readonly name = "FunctionError";
  readonly code = "FUNCTION_ERROR";
}
