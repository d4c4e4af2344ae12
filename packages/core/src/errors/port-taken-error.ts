import { MetahumanError } from "./metahuman-error.ts";

/** Another process already listens on this port. */
export class PortTakenError extends MetahumanError {
  override readonly name = "PortTakenError";
  readonly code = "PORT_TAKEN";
}
