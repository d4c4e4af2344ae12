import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox called more skills than it may in one run. */
export class SandboxCallsError extends MetahumanError {
  override readonly name = "SandboxCallsError";
  readonly code = "SANDBOX_CALLS";
}
