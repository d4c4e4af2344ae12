import { MetahumanError } from "./metahuman-error.ts";

/** The planner's reply has the wrong shape, also after its retry. */
export class PlanInvalidError extends MetahumanError {
  override readonly name = "PlanInvalidError";
  readonly code = "PLAN_INVALID";
}
