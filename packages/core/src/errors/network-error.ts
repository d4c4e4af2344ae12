import { MetahumanError } from "./metahuman-error.ts";

/** A connection could not be made or broke off. */
export class NetworkError extends MetahumanError {
  override readonly name = "NetworkError";
  readonly code = "NETWORK_ERROR";
}
