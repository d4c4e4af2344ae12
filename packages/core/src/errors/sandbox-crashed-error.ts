import { MetahumanError } from "./metahuman-error.ts";

/** The sandbox's process ended before the code did. */
export class SandboxCrashedError extends MetahumanError {
  override readonly name = "SandboxCrashedError";
  readonly code = "SANDBOX_CRASHED";
}
