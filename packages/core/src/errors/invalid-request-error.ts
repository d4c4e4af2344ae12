import { MetahumanError } from "./metahuman-error.ts";

/** The request's body, query or parameters do not fit their schema. */
export class InvalidRequestError extends MetahumanError {
  override readonly name = "InvalidRequestError";
  readonly code = "INVALID_REQUEST";
}
