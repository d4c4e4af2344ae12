import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox called more skills than it may in one run. */
export class SandboxCallsError extends MetahumanError {
  override readonly name = "SandboxCallsError";
  readonly code = "SANDBOX_CALLS";
}

/** The sandbox's process ended before the code did. */
export class SandboxCrashedError extends MetahumanError {
  override readonly name = "SandboxCrashedError";
  readonly code = "SANDBOX_CRASHED";
}

/** Code in the sandbox asked for more memory than it may have. */
export class SandboxMemoryError extends MetahumanError {
  override readonly name = "SandboxMemoryError";
  readonly code = "SANDBOX_MEMORY";
}

/** Code in the sandbox said or returned more than it may. */
export class SandboxOutputError extends MetahumanError {
  override readonly name = "SandboxOutputError";
  readonly code = "SANDBOX_OUTPUT";
}

/** Code in the sandbox called itself too deeply. */
export class SandboxStackError extends MetahumanError {
  override readonly name = "SandboxStackError";
  readonly code = "SANDBOX_STACK";
}

/** Code in the sandbox did not end within its time and was stopped. */
export class SandboxTimeoutError extends MetahumanError {
  override readonly name = "SandboxTimeoutError";
  readonly code = "SANDBOX_TIMEOUT";
}

/** A function's code failed by itself: it threw, does not parse, or returned what is not JSON. */
export class FunctionError extends MetahumanError {
  override readonly name = "FunctionError";
  readonly code = "FUNCTION_ERROR";
}
