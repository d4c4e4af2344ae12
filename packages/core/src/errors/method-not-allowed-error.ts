import { MetahumanError } from "./metahuman-error.ts";

/** The path exists but does not take this method. */
export class MethodNotAllowedError extends MetahumanError {
  override readonly name = "MethodNotAllowedError";
  readonly code = "METHOD_NOT_ALLOWED";
}
