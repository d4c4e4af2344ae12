import { MetahumanError } from "./metahuman-error.ts";

/** The system, or the kind of folder, does not permit this; asking again will not help. */
export class PermissionDeniedError extends MetahumanError {
  override readonly name = "PermissionDeniedError";
  readonly code = "PERMISSION_DENIED";
}
