import { MetahumanError } from "./metahuman-error.ts";

/** The process ended between a side effect and its record: it may or may not have happened. */
export class OutcomeUnknownError extends MetahumanError {
  override readonly name = "OutcomeUnknownError";
  readonly code = "OUTCOME_UNKNOWN";
}
