import { MetahumanError } from "./metahuman-error.ts";

/** The time limit passed; the work was aborted. */
export class TimeoutError extends MetahumanError {
  override readonly name = "TimeoutError";
  readonly code = "TIMEOUT";
}
