import { MetahumanError } from "./metahuman-error.ts";

/** There is no such thing, or none this person may know of. */
export class NotFoundError extends MetahumanError {
  override readonly name = "NotFoundError";
  readonly code = "NOT_FOUND";
}
