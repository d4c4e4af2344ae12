import { MetahumanError } from "./metahuman-error.ts";

/** A configuration file cannot be used; names the file, the place in it and the reason. */
export class ConfigInvalidError extends MetahumanError {
  override readonly name = "ConfigInvalidError";
  readonly code = "CONFIG_INVALID";
}
