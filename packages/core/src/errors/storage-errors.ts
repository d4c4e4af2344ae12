import { MetahumanError } from "./metahuman-error.ts";

/** Stored data cannot be read; it was moved aside, not deleted. */
export class StorageCorruptError extends MetahumanError {
  override readonly name = "StorageCorruptError";
  readonly code = "STORAGE_CORRUPT";
}

/** The disk or quota is full; nothing was partially written. */
export class StorageFullError extends MetahumanError {
  override readonly name = "StorageFullError";
  readonly code = "STORAGE_FULL";
}

/** A later version of this program wrote the data; it was not changed. */
export class StorageNewerError extends MetahumanError {
  override readonly name = "StorageNewerError";
  readonly code = "STORAGE_NEWER";
}

/** The disk is read-only. */
export class StorageReadOnlyError extends MetahumanError {
  override readonly name = "StorageReadOnlyError";
  readonly code = "STORAGE_READ_ONLY";
}

/**
 * The storage cannot be used right now; nothing was changed and a retry may succeed. `context.retryAfterMs` is the time to
 * wait, in milliseconds.
 */
export class StorageUnavailableError extends MetahumanError {
  override readonly name = "StorageUnavailableError";
  readonly code = "STORAGE_UNAVAILABLE";
}

/** The profile exceeds its quota of bytes or files; nothing was written. */
export class QuotaExceededError extends MetahumanError {
  override readonly name = "QuotaExceededError";
  readonly code = "QUOTA_EXCEEDED";
}
