import { MetahumanError } from "./metahuman-error.ts";

/** A person was asked and said no; their reason, when they gave one, is in the message. */
export class ApprovalDeniedError extends MetahumanError {
  override readonly name = "ApprovalDeniedError";
  readonly code = "APPROVAL_DENIED";
}
