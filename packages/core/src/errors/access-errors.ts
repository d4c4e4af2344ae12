import { MetahumanError } from "./metahuman-error.ts";

/** There is no valid session or token. */
export class NotSignedInError extends MetahumanError {
  override readonly name = "NotSignedInError";
  readonly code = "NOT_SIGNED_IN";
}

/** The session has ended. */
export class SessionExpiredError extends MetahumanError {
  override readonly name = "SessionExpiredError";
  readonly code = "SESSION_EXPIRED";
}

/** The name or password is wrong; does not state which. */
export class WrongCredentialsError extends MetahumanError {
  override readonly name = "WrongCredentialsError";
  readonly code = "WRONG_CREDENTIALS";
}

/** The person is signed in but lacks the permission. */
export class ForbiddenError extends MetahumanError {
  override readonly name = "ForbiddenError";
  readonly code = "FORBIDDEN";
}

/** The request comes from another site. */
export class ForbiddenOriginError extends MetahumanError {
  override readonly name = "ForbiddenOriginError";
  readonly code = "FORBIDDEN_ORIGIN";
}

/** The Host header names a host that is not served. */
export class ForbiddenHostError extends MetahumanError {
  override readonly name = "ForbiddenHostError";
  readonly code = "FORBIDDEN_HOST";
}

/** The operating system or the kind of folder does not permit this; a retry does not help. */
export class PermissionDeniedError extends MetahumanError {
  override readonly name = "PermissionDeniedError";
  readonly code = "PERMISSION_DENIED";
}

/** The profile's trust level, mode or settings forbid this call. */
export class PolicyDeniedError extends MetahumanError {
  override readonly name = "PolicyDeniedError";
  readonly code = "POLICY_DENIED";
}

/** A person denied the approval; the message contains their reason, if they gave one. */
export class ApprovalDeniedError extends MetahumanError {
  override readonly name = "ApprovalDeniedError";
  readonly code = "APPROVAL_DENIED";
}

/** Too many attempts; `context.retryAfterMs` is the time to wait, in milliseconds. */
export class RateLimitedError extends MetahumanError {
  override readonly name = "RateLimitedError";
  readonly code = "RATE_LIMITED";
}
