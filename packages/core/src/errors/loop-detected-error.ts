import { MetahumanError } from "./metahuman-error.ts";

/** The same call with the same arguments was made too often with nothing new in between. */
export class LoopDetectedError extends MetahumanError {
  override readonly name = "LoopDetectedError";
  readonly code = "LOOP_DETECTED";
}
