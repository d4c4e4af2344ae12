import { MetahumanError } from "./metahuman-error.ts";

/** Something is already there and was left untouched. Suggests a free name. */
export class AlreadyExistsError extends MetahumanError {
  override readonly name = "AlreadyExistsError";
  readonly code = "ALREADY_EXISTS";
}
