import { MetahumanError } from "./metahuman-error.ts";

/** No model is available for this role. */
export class ModelUnavailableError extends MetahumanError {
  override readonly name = "ModelUnavailableError";
  readonly code = "MODEL_UNAVAILABLE";
}

/** A connection failed or was interrupted. */
export class NetworkError extends MetahumanError {
  override readonly name = "NetworkError";
  readonly code = "NETWORK_ERROR";
}

/** Another process already listens on this port. */
export class PortTakenError extends MetahumanError {
  override readonly name = "PortTakenError";
  readonly code = "PORT_TAKEN";
}

/** The server is at capacity; `context.retryAfterMs` is the time to wait, in milliseconds. */
export class ServerBusyError extends MetahumanError {
  override readonly name = "ServerBusyError";
  readonly code = "SERVER_BUSY";
}
