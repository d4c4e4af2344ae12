import { MetahumanError } from "./metahuman-error.ts";

/** An import stopped after some of it was written; `context.report` lists what is in place. */
export class ImportIncompleteError extends MetahumanError {
  override readonly name = "ImportIncompleteError";
  readonly code = "IMPORT_INCOMPLETE";
}
