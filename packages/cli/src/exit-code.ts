import type { ErrorCode } from "@metahuman/core/contract/problem";

/** The exit codes of `mh`. */
export const ExitCode = {
  ok: 0,
  /** A run failed or got stuck, or a check found a problem. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** A named record does not exist. */
  notFound: 3,
  /** The mode or the trust level forbids the action, or a person denied it. */
  denied: 4,
  /** The run waits for a person. */
  waiting: 5,
  /** The database or the object store cannot be used now; a retry may succeed. */
  unavailable: 6,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const codes: Partial<Record<ErrorCode, ExitCode>> = {
  INVALID_REQUEST: ExitCode.usage,
  INVALID_ARGS: ExitCode.usage,
  NOT_FOUND: ExitCode.notFound,
  TASK_NOT_FOUND: ExitCode.notFound,
  MEMORY_NOT_FOUND: ExitCode.notFound,
  FILE_NOT_FOUND: ExitCode.notFound,
  FUNCTION_NOT_FOUND: ExitCode.notFound,
  SKILL_NOT_FOUND: ExitCode.notFound,
  FORBIDDEN: ExitCode.denied,
  POLICY_DENIED: ExitCode.denied,
  APPROVAL_DENIED: ExitCode.denied,
  PATH_OUTSIDE_WORKSPACE: ExitCode.denied,
  STORAGE_UNAVAILABLE: ExitCode.unavailable,
};

export function exitCodeFor(code: ErrorCode): ExitCode {
  return codes[code] ?? ExitCode.failed;
}
