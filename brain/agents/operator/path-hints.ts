import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import type { Run } from "@metahuman/core/contract/run";

const PATH_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "FILE_NOT_FOUND",
  "PATH_OUTSIDE_WORKSPACE",
  "PERMISSION_DENIED",
]);

const HINTS = [
  "Leave the folder out: a bare name is taken from out/.",
  "List what is there with fs_list.",
  "Ask the person where it is with ask_user.",
  "Once it works, keep the way as a function, so that the next request finds it.",
];

/** The second path that leads nowhere in a run that no function helps: says how to get out of guessing. */
export function withPathHints(error: ErrorDetail, run: Run): ErrorDetail {
  if (!PATH_FAILURES.has(error.code) || run.functionsUsed.some((use) => use.followed)) return error;
  const before = run.scratchpad.filter(
    ({ observation }) => observation?.error && PATH_FAILURES.has(observation.error.code),
  ).length;
  return before === 1 ? { ...error, suggestions: [...(error.suggestions ?? []), ...HINTS] } : error;
}
