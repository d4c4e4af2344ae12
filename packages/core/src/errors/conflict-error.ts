import { MetahumanError } from "./metahuman-error.ts";

/** The state of the thing does not allow this now. */
export class ConflictError extends MetahumanError {
  override readonly name = "ConflictError";
  readonly code = "CONFLICT";
}
