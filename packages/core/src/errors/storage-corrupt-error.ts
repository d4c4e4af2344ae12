import { MetahumanError } from "./metahuman-error.ts";

/** Stored data cannot be read back; it was set aside, not deleted. */
export class StorageCorruptError extends MetahumanError {
  override readonly name = "StorageCorruptError";
  readonly code = "STORAGE_CORRUPT";
}
