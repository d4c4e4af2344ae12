import { MetahumanError } from "./metahuman-error.ts";

/** There is no valid session or token. */
export class NotSignedInError extends MetahumanError {
  override readonly name = "NotSignedInError";
  readonly code = "NOT_SIGNED_IN";
}
