import type { Verification } from "../../contract/function.ts";
import type { ErrorCode } from "../../contract/problem.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";

/** The version of the verification rules. Reports with a lower one are renewed in the background. */
export const VERIFICATION_RULES = 3;

/** Reports the origin of each value of a learned function. */
export const ORIGIN_CHECK = "origin of values";
/** Replays an example. */
export const REPLAY_CHECK = "replay of example";
/** An example that does something else than in the version before; it does not fail the verification. */
export const CHANGED_RESULT_CHECK = "changed result of example";
/** Replays an example with other contents, other names and a missing file. */
export const VARIATION_CHECK = "variation of example";
/** An example that cannot be replayed; it does not affect the result. */
export const NOT_REPLAYABLE_CHECK = "not replayable: example";
/** Compares a model's runs of an example with and without the guide. */
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

/** True when an error comes from this machine rather than from the checked function. */
export function isInfrastructureFailure(error: unknown): boolean {
  return INFRASTRUCTURE_FAILURES.has(toErrorDetail(error).code);
}

/** True when a report proves behavior, not only text. Without a person's review, trust needs such proof. */
export function isProvenByBehavior({ ok, checks }: Verification, kind: "guide" | "recipe" | "code"): boolean {
  if (!ok || kind === "guide") return false;
  return kind === "code" || checks.some(({ name }) => name.startsWith(`${REPLAY_CHECK} `));
}

/** What the examples of a recipe do otherwise than in the version before, as a sentence for each. */
export function changedResults({ checks }: Verification): string[] {
  return checks.flatMap(({ name, detail }) =>
    name.startsWith(`${CHANGED_RESULT_CHECK} `) && detail !== undefined ? [detail] : [],
  );
}
