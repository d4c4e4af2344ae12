import type { ErrorCode } from "@metahuman/core/contract/problem";

/** What scripts can tell from `$?`. */
export const ExitCode = {
  ok: 0,
  /** What was asked did not succeed: a run that failed or got stuck, a check that found something. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** Something named does not exist. */
  notFound: 3,
  /** The profile's mode or trust level does not permit it, or a person denied it. */
  denied: 4,
  /** The run waits for a person. */
  waiting: 5,
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
};

/** The exit code that an error ends a command with. */
export function exitCodeFor(code: ErrorCode): ExitCode {
  return codes[code] ?? ExitCode.failed;
}
