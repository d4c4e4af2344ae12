import { MetahumanError } from "./metahuman-error.ts";

/** The content is of a type that is not accepted here. */
export class UnsupportedMediaTypeError extends MetahumanError {
  override readonly name = "UnsupportedMediaTypeError";
  readonly code = "UNSUPPORTED_MEDIA_TYPE";
}
