import { MetahumanError } from "./metahuman-error.ts";

/** The Host header names a host that is not served. */
export class ForbiddenHostError extends MetahumanError {
  override readonly name = "ForbiddenHostError";
  readonly code = "FORBIDDEN_HOST";
}
