import { MetahumanError } from "./metahuman-error.ts";

/** The request was made by another site. */
export class ForbiddenOriginError extends MetahumanError {
  override readonly name = "ForbiddenOriginError";
  readonly code = "FORBIDDEN_ORIGIN";
}
