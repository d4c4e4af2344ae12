import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox did not end within its time and was stopped. */
export class SandboxTimeoutError extends MetahumanError {
  override readonly name = "SandboxTimeoutError";
  readonly code = "SANDBOX_TIMEOUT";
}
