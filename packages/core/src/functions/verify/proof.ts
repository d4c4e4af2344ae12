import type { Verification } from "../../contract/function.ts";
import type { ErrorCode } from "../../contract/problem.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";

/** The rules that checks follow now; reports with fewer are made again in the background. */
export const VERIFICATION_RULES = 3;

/** Where each value of a learned function comes from. */
export const ORIGIN_CHECK = "origin of values";
/** A check by which an example was run again. */
export const REPLAY_CHECK = "replay of example";
/** An example that was run again with other contents, with other names and with a missing file. */
export const VARIATION_CHECK = "variation of example";
/** An example that could not be run again; it decides nothing. */
export const UNPLAYABLE_CHECK = "not replayable: example";
/** An example that a model carried out with a guide and without it. */
export const TRIAL_CHECK = "paired trial";

const INFRASTRUCTURE_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  "SANDBOX_CRASHED",
  "SERVER_BUSY",
  "TIMEOUT",
  "MODEL_UNAVAILABLE",
  "RATE_LIMITED",
  "STORAGE_FULL",
  "STORAGE_READ_ONLY",
  "QUOTA_EXCEEDED",
  "UNEXPECTED_ERROR",
]);

/** Whether what ended a check says something about this machine rather than about the function that is checked. */
export function isInfrastructureFailure(error: unknown): boolean {
  return INFRASTRUCTURE_FAILURES.has(toErrorDetail(error).code);
}

/** Whether a report shows behaviour and not text alone: what nobody looked at is trusted for nothing less. */
export function isProvenByBehaviour(
  { ok, checks }: Verification,
  kind: "guide" | "recipe" | "code",
): boolean {
  if (!ok || kind === "guide") return false;
  return kind === "code" || checks.some(({ name }) => name.startsWith(`${REPLAY_CHECK} `));
}
