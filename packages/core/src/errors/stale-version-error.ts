import { MetahumanError } from "./metahuman-error.ts";

/** The change starts from a version that is no longer the current one; nothing was merged. */
export class StaleVersionError extends MetahumanError {
  override readonly name = "StaleVersionError";
  readonly code = "STALE_VERSION";
}
