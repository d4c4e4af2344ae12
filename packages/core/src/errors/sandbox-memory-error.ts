import { MetahumanError } from "./metahuman-error.ts";

/** Code in the sandbox asked for more memory than it may have. */
export class SandboxMemoryError extends MetahumanError {
  override readonly name = "SandboxMemoryError";
  readonly code = "SANDBOX_MEMORY";
}
