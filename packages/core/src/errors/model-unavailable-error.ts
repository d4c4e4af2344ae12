import { MetahumanError } from "./metahuman-error.ts";

/** No model can be reached for this role. */
export class ModelUnavailableError extends MetahumanError {
  override readonly name = "ModelUnavailableError";
  readonly code = "MODEL_UNAVAILABLE";
}
