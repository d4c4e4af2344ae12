import { MetahumanError } from "../errors/metahuman-error.ts";

/** An index stopped and could not be brought back; files can still be written and read. */
export class IndexUnavailableError extends MetahumanError {
  override readonly name = "IndexUnavailableError";
  readonly code = "UNEXPECTED_ERROR";
}
