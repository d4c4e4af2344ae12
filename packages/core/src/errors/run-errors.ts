import { MetahumanError } from "./metahuman-error.ts";

/** A person or a shutdown stopped the work. */
export class CancelledError extends MetahumanError {
  override readonly name = "CancelledError";
  readonly code = "CANCELLED";
}

/** The time limit passed; the work was aborted. */
export class TimeoutError extends MetahumanError {
  override readonly name = "TimeoutError";
  readonly code = "TIMEOUT";
}

/** The same call with the same arguments was made too often with nothing new in between. */
export class LoopDetectedError extends MetahumanError {
  override readonly name = "LoopDetectedError";
  readonly code = "LOOP_DETECTED";
}

/** The planner's reply has the wrong shape, also after its retry. */
export class PlanInvalidError extends MetahumanError {
  override readonly name = "PlanInvalidError";
  readonly code = "PLAN_INVALID";
}

/** What was begun may or may not have happened yet, or will only later: it should not be done again unseen. */
export class OutcomeUnknownError extends MetahumanError {
  override readonly name = "OutcomeUnknownError";
  readonly code = "OUTCOME_UNKNOWN";
}

/** A failure nobody foresaw; the cause is for the log alone. */
export class UnexpectedError extends MetahumanError {
  override readonly name = "UnexpectedError";
  readonly code = "UNEXPECTED_ERROR";
}
