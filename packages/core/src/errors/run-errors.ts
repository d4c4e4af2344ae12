import { MetahumanError } from "./metahuman-error.ts";

/** A person or a shutdown stopped the work. */
export class CancelledError extends MetahumanError {
  override readonly name = "CancelledError";
  readonly code = "CANCELLED";
}

/** The time limit was exceeded; the work was aborted. */
export class TimeoutError extends MetahumanError {
  override readonly name = "TimeoutError";
  readonly code = "TIMEOUT";
}

/** The same call was repeated too often without anything new in between. */
export class LoopDetectedError extends MetahumanError {
  override readonly name = "LoopDetectedError";
  readonly code = "LOOP_DETECTED";
}

/** The planner's reply is invalid, even after a retry. */
export class PlanInvalidError extends MetahumanError {
  override readonly name = "PlanInvalidError";
  readonly code = "PLAN_INVALID";
}

/** The action may or may not have happened, or may still happen; do not repeat it without checking. */
export class OutcomeUnknownError extends MetahumanError {
  override readonly name = "OutcomeUnknownError";
  readonly code = "OUTCOME_UNKNOWN";
}

/** An unexpected failure; the cause is only for the log. */
export class UnexpectedError extends MetahumanError {
  override readonly name = "UnexpectedError";
  readonly code = "UNEXPECTED_ERROR";
}
