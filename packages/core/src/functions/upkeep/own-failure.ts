import type { ErrorCode } from "../../contract/problem.ts";
import { FunctionError } from "../../errors/sandbox-errors.ts";
import { MetahumanError } from "../../errors/metahuman-error.ts";

/** Error codes with a cause outside the function: denials, missing or existing resources, failures of network, disk or server. */
const EXTERNAL_CAUSES: ReadonlySet<string> = new Set<ErrorCode>([
  "FILE_NOT_FOUND",
  "TASK_NOT_FOUND",
  "MEMORY_NOT_FOUND",
  "FUNCTION_NOT_FOUND",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "CONFLICT",
  "STALE_VERSION",
  "PERMISSION_DENIED",
  "PATH_OUTSIDE_WORKSPACE",
  "POLICY_DENIED",
  "APPROVAL_DENIED",
  "FORBIDDEN",
  "NETWORK_ERROR",
  "TIMEOUT",
  "RATE_LIMITED",
  "MODEL_UNAVAILABLE",
  "SERVER_BUSY",
  "CANCELLED",
  "OUTCOME_UNKNOWN",
  "STORAGE_FULL",
  "STORAGE_READ_ONLY",
  "QUOTA_EXCEEDED",
  "UNEXPECTED_ERROR",
]);

/** True for an error code that is the fault of the function whose call failed. */
export function isOwnFailureCode(code: string): boolean {
  return !EXTERNAL_CAUSES.has(code);
}

/**
 * True when an error is the function's own fault. An uncaught error of a skill is classified by its code. Only these
 * failures count against a function.
 */
export function isOwnFailure(error: unknown): boolean {
  if (!(error instanceof MetahumanError)) return false;
  if (!(error instanceof FunctionError)) return isOwnFailureCode(error.code);
  if (error.cause instanceof MetahumanError) return isOwnFailure(error.cause);
  const { thrown } = error.context;
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return typeof code !== "string" || isOwnFailureCode(code);
}
