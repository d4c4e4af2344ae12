import type { NewMemory } from "../../contract/memory.ts";
import { redact } from "../../log/redact.ts";
import type { FunctionUseRecord } from "../functions-port.ts";
import type { ErrorCode } from "../../contract/problem.ts";
import { FunctionError } from "../../errors/sandbox-errors.ts";
import { MetahumanError } from "../../errors/metahuman-error.ts";

const MAX_TEXT_LENGTH = 2_000;
const MAX_ITEMS = 50;

const OUTCOME_TEXT: Readonly<Record<FunctionUseRecord["outcome"], string>> = {
  succeeded: "went well",
  failed: "failed",
  followed: "was followed",
  offered: "was offered",
};

/** One use of a function with its inputs and outputs. */
export interface FunctionUsage {
  function: { id: string; title: string };
  inputs: Readonly<Record<string, unknown>>;
  outputs: Readonly<Record<string, unknown>>;
  outcome: FunctionUseRecord["outcome"];
  error?: string | undefined;
  executionTimeMs?: number | undefined;
}

/** One use of a function as an episodic memory, with secrets redacted and long values clipped. */
export function usageEvent({
  function: used,
  inputs,
  outputs,
  outcome,
  error,
  executionTimeMs,
}: FunctionUsage): NewMemory {
  return {
    type: "function_usage",
    content: `The function “${used.title}” ${OUTCOME_TEXT[outcome]}.`,
    metadata: {
      functionId: used.id,
      functionTitle: used.title,
      functionInputs: redactValues(inputs),
      functionOutputs: redactValues(outputs),
      functionSuccess: outcome === "succeeded",
      ...(error !== undefined && { functionError: error.slice(0, MAX_TEXT_LENGTH) }),
      functionExecutionTimeMs: executionTimeMs ?? 0,
    },
  };
}

function redactValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]): [string, unknown] => [
      name,
      redact(value, { maxText: MAX_TEXT_LENGTH, maxItems: MAX_ITEMS }),
    ]),
  );
}

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
