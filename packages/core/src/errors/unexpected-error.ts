import { MetahumanError } from "./metahuman-error.ts";

/** A failure nobody foresaw; the cause is for the log alone. */
export class UnexpectedError extends MetahumanError {
  override readonly name = "UnexpectedError";
  readonly code = "UNEXPECTED_ERROR";
}
