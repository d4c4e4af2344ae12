import { z } from "zod";

/** The codes of all typed errors. A planner can act on them, the API returns them, and the page explains them. */
export const ErrorCode = z.enum([
  // Skills and planning
  "FILE_NOT_FOUND",
  "TASK_NOT_FOUND",
  "MEMORY_NOT_FOUND",
  "FUNCTION_NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "PATH_OUTSIDE_WORKSPACE",
  "INVALID_ARGS",
  "SKILL_NOT_FOUND",
  "POLICY_DENIED",
  "APPROVAL_DENIED",
  "NETWORK_ERROR",
  "TIMEOUT",
  "RATE_LIMITED",
  "MODEL_UNAVAILABLE",
  "PLAN_INVALID",
  "LOOP_DETECTED",
  "CANCELLED",
  "OUTCOME_UNKNOWN",
  "UNEXPECTED_ERROR",
  // Code functions in the sandbox
  "SANDBOX_TIMEOUT",
  "SANDBOX_MEMORY",
  "SANDBOX_STACK",
  "SANDBOX_OUTPUT",
  "SANDBOX_CALLS",
  "SANDBOX_CRASHED",
  "FUNCTION_ERROR",
  // HTTP, CLI, configuration, storage
  "INVALID_REQUEST",
  "UNSUPPORTED_MEDIA_TYPE",
  "BODY_TOO_LARGE",
  "NOT_SIGNED_IN",
  "SESSION_EXPIRED",
  "WRONG_CREDENTIALS",
  "FORBIDDEN",
  "FORBIDDEN_ORIGIN",
  "FORBIDDEN_HOST",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "SERVER_BUSY",
  "CONFLICT",
  "STALE_VERSION",
  "CONFIG_INVALID",
  "STORAGE_FULL",
  "QUOTA_EXCEEDED",
  "IMPORT_INCOMPLETE",
  "STORAGE_READ_ONLY",
  "STORAGE_CORRUPT",
  "STORAGE_NEWER",
  "STORAGE_UNAVAILABLE",
  "PORT_TAKEN",
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

/** One failure for people and planners. `context` never contains secrets. */
export const ErrorDetail = z.strictObject({
  code: ErrorCode,
  message: z.string(),
  context: z.record(z.string(), z.unknown()).optional(),
  suggestions: z.array(z.string()).optional(),
});
export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** The body of every HTTP response that is not a success. */
export const Problem = z.strictObject({
  error: z.strictObject({
    code: ErrorCode,
    message: z.string(),
    details: z.unknown().optional(),
    suggestions: z.array(z.string()).optional(),
  }),
});
export type Problem = z.infer<typeof Problem>;

/** The `details` of a rejected form: the issues by field path. */
export const FieldIssues = z.object({
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
});
