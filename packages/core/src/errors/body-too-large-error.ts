import { MetahumanError } from "./metahuman-error.ts";

/** The body is larger than the door admits; it was not read to its end. */
export class BodyTooLargeError extends MetahumanError {
  override readonly name = "BodyTooLargeError";
  readonly code = "BODY_TOO_LARGE";
}
