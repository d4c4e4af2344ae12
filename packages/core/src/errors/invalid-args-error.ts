import { MetahumanError } from "./metahuman-error.ts";

/** The arguments do not fit the schema. Names every problem and the values that would be valid. */
export class InvalidArgsError extends MetahumanError {
  override readonly name = "InvalidArgsError";
  readonly code = "INVALID_ARGS";
}
