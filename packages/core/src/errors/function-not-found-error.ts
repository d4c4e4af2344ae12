import { MetahumanError } from "./metahuman-error.ts";

/** No function has this id or name in this scope. Suggests the nearest names. */
export class FunctionNotFoundError extends MetahumanError {
  override readonly name = "FunctionNotFoundError";
  readonly code = "FUNCTION_NOT_FOUND";
}
