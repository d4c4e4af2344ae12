import { MetahumanError } from "./metahuman-error.ts";

/** Stored data cannot be read back; it was set aside, not deleted. */
export class StorageCorruptError extends MetahumanError {
  override readonly name = "StorageCorruptError";
  readonly code = "STORAGE_CORRUPT";
}

/** The disk or quota is full; nothing was half-written. */
export class StorageFullError extends MetahumanError {
  override readonly name = "StorageFullError";
  readonly code = "STORAGE_FULL";
}

/** Stored data was written by a later version of this program; it was left as it is. */
export class StorageNewerError extends MetahumanError {
  override readonly name = "StorageNewerError";
  readonly code = "STORAGE_NEWER";
}

/** The disk cannot be written to. */
export class StorageReadOnlyError extends MetahumanError {
  override readonly name = "StorageReadOnlyError";
  readonly code = "STORAGE_READ_ONLY";
}

/** A profile may not hold more bytes or files; nothing was written. */
export class QuotaExceededError extends MetahumanError {
  override readonly name = "QuotaExceededError";
  readonly code = "QUOTA_EXCEEDED";
}
