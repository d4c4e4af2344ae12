import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox said or returned more than it may. */
export class SandboxOutputError extends MetahumanError {
  override readonly name = "SandboxOutputError";
  readonly code = "SANDBOX_OUTPUT";
}
