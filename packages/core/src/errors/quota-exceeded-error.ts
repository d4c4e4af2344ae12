import { MetahumanError } from "./metahuman-error.ts";

/** A profile may not hold more bytes or files; nothing was written. */
export class QuotaExceededError extends MetahumanError {
  override readonly name = "QuotaExceededError";
  readonly code = "QUOTA_EXCEEDED";
}
