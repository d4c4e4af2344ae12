import { MetahumanError } from "./metahuman-error.ts";

/** Name and password do not fit; does not say which of them. */
export class WrongCredentialsError extends MetahumanError {
  override readonly name = "WrongCredentialsError";
  readonly code = "WRONG_CREDENTIALS";
}
