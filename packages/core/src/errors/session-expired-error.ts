import { MetahumanError } from "./metahuman-error.ts";

/** The session was valid once and has ended. */
export class SessionExpiredError extends MetahumanError {
  override readonly name = "SessionExpiredError";
  readonly code = "SESSION_EXPIRED";
}
