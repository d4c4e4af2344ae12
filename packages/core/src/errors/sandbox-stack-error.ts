import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox called itself too deeply. */
export class SandboxStackError extends MetahumanError {
  override readonly name = "SandboxStackError";
  readonly code = "SANDBOX_STACK";
}
