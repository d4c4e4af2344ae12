import { MetahumanError } from "./metahuman-error.ts";

/** There is no file or folder at this workspace path. Suggests the nearest existing paths. */
export class FileNotFoundError extends MetahumanError {
  override readonly name = "FileNotFoundError";
  readonly code = "FILE_NOT_FOUND";
}
