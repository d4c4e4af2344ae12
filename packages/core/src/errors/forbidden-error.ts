import { MetahumanError } from "./metahuman-error.ts";

/** The person is known but not permitted to do this. */
export class ForbiddenError extends MetahumanError {
  override readonly name = "ForbiddenError";
  readonly code = "FORBIDDEN";
}
