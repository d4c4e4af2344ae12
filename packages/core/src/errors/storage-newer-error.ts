import { MetahumanError } from "./metahuman-error.ts";

/** Stored data was written by a later version of this program; it was left as it is. */
export class StorageNewerError extends MetahumanError {
  override readonly name = "StorageNewerError";
  readonly code = "STORAGE_NEWER";
}
