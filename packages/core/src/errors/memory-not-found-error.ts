import { MetahumanError } from "./metahuman-error.ts";

/** No memory has this id. */
export class MemoryNotFoundError extends MetahumanError {
  override readonly name = "MemoryNotFoundError";
  readonly code = "MEMORY_NOT_FOUND";
}
