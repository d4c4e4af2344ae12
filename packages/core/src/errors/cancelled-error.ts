import { MetahumanError } from "./metahuman-error.ts";

/** A person or a shutdown stopped the work. */
export class CancelledError extends MetahumanError {
  override readonly name = "CancelledError";
  readonly code = "CANCELLED";
}
