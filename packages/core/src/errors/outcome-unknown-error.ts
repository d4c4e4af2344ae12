import { MetahumanError } from "./metahuman-error.ts";

/** What was begun may or may not have happened yet, or will only later: it should not be done again unseen. */
export class OutcomeUnknownError extends MetahumanError {
  override readonly name = "OutcomeUnknownError";
  readonly code = "OUTCOME_UNKNOWN";
}
