import {
  FunctionError,
  SandboxCallsError,
  SandboxCrashedError,
  SandboxMemoryError,
  SandboxOutputError,
  SandboxStackError,
  SandboxTimeoutError,
} from "@metahuman/core/errors/sandbox-errors";
import type { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { FailureKind, Thrown } from "./protocol.ts";
import type { SandboxLimits } from "./sandbox.ts";

export interface FailureFacts {
  thrown?: Thrown | undefined;
  logs?: readonly string[];
  /** The source position of each line of the module. */
  places?: readonly string[] | undefined;
}

/** Converts a failed run to a typed error. */
export function toError(
  failure: FailureKind,
  limits: SandboxLimits,
  { thrown, logs = [], places }: FailureFacts = {},
): MetahumanError {
  const logContext = logs.length > 0 && { logs: logs.slice(-20).map((line) => line.slice(0, 500)) };
  switch (failure) {
    case "timeout":
      return new SandboxTimeoutError(
        `The code did not end within ${limits.wallMs / 1_000} s and was stopped.`,
        {
          suggestions: ["Look for a loop that does not end, or do less in one run."],
          context: { limitMs: limits.wallMs, ...logContext },
        },
      );
    case "memory":
      return new SandboxMemoryError(
        `The code needed more than ${Math.round(limits.memoryBytes / 1_048_576)} MB of memory.`,
        {
          suggestions: ["Process the data in smaller parts."],
          context: { limitBytes: limits.memoryBytes, ...logContext },
        },
      );
    case "stack":
      return new SandboxStackError("The recursion of the code is too deep.", {
        suggestions: ["Replace the recursion with a loop, or limit its depth."],
        context: { limitBytes: limits.stackBytes, ...logContext },
      });
    case "output":
      return new SandboxOutputError(
        `The code produced more than ${limits.outputLength} characters in results, logs or arguments, or more than ${limits.logLines} log lines.`,
        {
          suggestions: ["Return a summary, or write long text to a file."],
          context: { limit: limits.outputLength, logLines: limits.logLines },
        },
      );
    case "calls":
      return new SandboxCallsError(`The code called skills more than ${limits.hostCalls} times.`, {
        suggestions: ["Do the work with fewer calls."],
        context: { limit: limits.hostCalls, ...logContext },
      });
    case "crashed":
      return new SandboxCrashedError("The sandbox process ended before the code.", {
        suggestions: ["Try again. If that fails too, the code crashes the engine."],
      });
    case "function":
      return new FunctionError(describeThrown(thrown, places), {
        suggestions: ["Correct the code, or call it with other parameters."],
        context: { ...(thrown && { thrown: { name: thrown.name, code: thrown.code } }), ...logContext },
      });
    default:
      return failure satisfies never;
  }
}

function describeThrown(thrown: Thrown | undefined, places: readonly string[] | undefined): string {
  if (!thrown) return "The code failed.";
  const { name, message, stack } = thrown;
  const line = /function\.js:(\d+)/u.exec(stack ?? "")?.[1];
  const place = line !== undefined && (places ? places[Number(line) - 1] : `line ${line}`);
  return `The code failed with ${name}: ${message}${place ? ` (${place})` : ""}`;
}
