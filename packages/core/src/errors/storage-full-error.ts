import { MetahumanError } from "./metahuman-error.ts";

/** The disk or quota is full; nothing was half-written. */
export class StorageFullError extends MetahumanError {
  override readonly name = "StorageFullError";
  readonly code = "STORAGE_FULL";
}
