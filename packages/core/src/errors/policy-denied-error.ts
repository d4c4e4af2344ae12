import { MetahumanError } from "./metahuman-error.ts";

/** The profile's trust level, mode or settings forbid this call. */
export class PolicyDeniedError extends MetahumanError {
  override readonly name = "PolicyDeniedError";
  readonly code = "POLICY_DENIED";
}
