import { MetahumanError } from "./metahuman-error.ts";

/** The server holds as much as it may; `context.retryAfterMs` says when to try again, in milliseconds. */
export class ServerBusyError extends MetahumanError {
  override readonly name = "ServerBusyError";
  readonly code = "SERVER_BUSY";
}
