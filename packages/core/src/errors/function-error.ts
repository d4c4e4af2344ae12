import { MetahumanError } from "./metahuman-error.ts";

/** A function's code failed by itself: it threw, does not parse, or returned what is not JSON. */
export class FunctionError extends MetahumanError {
  override readonly name = "FunctionError";
  readonly code = "FUNCTION_ERROR";
}
