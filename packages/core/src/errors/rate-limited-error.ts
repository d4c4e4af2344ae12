import { MetahumanError } from "./metahuman-error.ts";

/** Too many attempts; `context.retryAfterMs` says how long to wait, in milliseconds. */
export class RateLimitedError extends MetahumanError {
  override readonly name = "RateLimitedError";
  readonly code = "RATE_LIMITED";
}
