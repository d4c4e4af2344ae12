import { MetahumanError } from "./metahuman-error.ts";

/** The disk cannot be written to. */
export class StorageReadOnlyError extends MetahumanError {
  override readonly name = "StorageReadOnlyError";
  readonly code = "STORAGE_READ_ONLY";
}
