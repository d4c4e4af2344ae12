import type { NewMemory } from "../../contract/memory.ts";
import { redact } from "../../log/redact.ts";
import type { FunctionUseRecord } from "../functions-port.ts";

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
