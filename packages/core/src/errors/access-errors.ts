import { MetahumanError } from "./metahuman-error.ts";

/** There is no valid session or token. */
export class NotSignedInError extends MetahumanError {
  override readonly name = "NotSignedInError";
  readonly code = "NOT_SIGNED_IN";
}

/** The session was valid once and has ended. */
export class SessionExpiredError extends MetahumanError {
  override readonly name = "SessionExpiredError";
  readonly code = "SESSION_EXPIRED";
}

/** Name and password do not fit; does not say which of them. */
export class WrongCredentialsError extends MetahumanError {
  override readonly name = "WrongCredentialsError";
  readonly code = "WRONG_CREDENTIALS";
}

/** The person is known but not permitted to do this. */
export class ForbiddenError extends MetahumanError {
  override readonly name = "ForbiddenError";
  readonly code = "FORBIDDEN";
}

/** The request was made by another site. */
export class ForbiddenOriginError extends MetahumanError {
  override readonly name = "ForbiddenOriginError";
  readonly code = "FORBIDDEN_ORIGIN";
}

/** The Host header names a host that is not served. */
export class ForbiddenHostError extends MetahumanError {
  override readonly name = "ForbiddenHostError";
  readonly code = "FORBIDDEN_HOST";
}

/** The system, or the kind of folder, does not permit this; asking again will not help. */
export class PermissionDeniedError extends MetahumanError {
  override readonly name = "PermissionDeniedError";
  readonly code = "PERMISSION_DENIED";
}

/** The profile's trust level, mode or settings forbid this call. */
export class PolicyDeniedError extends MetahumanError {
  override readonly name = "PolicyDeniedError";
  readonly code = "POLICY_DENIED";
}

/** A person was asked and said no; their reason, when they gave one, is in the message. */
export class ApprovalDeniedError extends MetahumanError {
  override readonly name = "ApprovalDeniedError";
  readonly code = "APPROVAL_DENIED";
}

/** Too many attempts; `context.retryAfterMs` says how long to wait, in milliseconds. */
export class RateLimitedError extends MetahumanError {
  override readonly name = "RateLimitedError";
  readonly code = "RATE_LIMITED";
}
