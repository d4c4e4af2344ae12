import { MetahumanError } from "./metahuman-error.ts";

/** No model can be reached for this role. */
export class ModelUnavailableError extends MetahumanError {
  override readonly name = "ModelUnavailableError";
  readonly code = "MODEL_UNAVAILABLE";
}

/** A connection could not be made or broke off. */
export class NetworkError extends MetahumanError {
  override readonly name = "NetworkError";
  readonly code = "NETWORK_ERROR";
}

/** Another process already listens on this port. */
export class PortTakenError extends MetahumanError {
  override readonly name = "PortTakenError";
  readonly code = "PORT_TAKEN";
}

/** The server holds as much as it may; `context.retryAfterMs` says when to try again, in milliseconds. */
export class ServerBusyError extends MetahumanError {
  override readonly name = "ServerBusyError";
  readonly code = "SERVER_BUSY";
}
