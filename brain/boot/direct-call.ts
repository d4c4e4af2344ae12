import type { RunEvent } from "@metahuman/core/contract/event";
import type { Action, Run } from "@metahuman/core/contract/run";
import type { Operator, StartOptions } from "./brain.ts";
import type { ErrorCode, ErrorDetail } from "@metahuman/core/contract/problem";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";

/** The outcome of a single call that a person requested. */
export type DirectOutcome =
  /** Its outputs, as the skill's output schema has them. */
  { kind: "done"; run: Run; outputs: Record<string, unknown> } | { kind: "waiting"; run: Run };

export interface DirectOptions extends Omit<StartOptions, "direct"> {
  /** Whether the request itself counts as approval, if the profile requires one. */
  allowOnce?: boolean;
  /** Receives the events of the run while it is awaited. */
  onEvent?: (event: RunEvent) => void;
}

/**
 * Executes one call as a separate run, which can be listed, stopped and resumed like any other. Throws the error of
 * the call. Aborting `signal` stops waiting; the run continues.
 */
export async function callDirectly(
  operator: Operator,
  goal: string,
  action: Action,
  { allowOnce = false, onEvent, ...options }: DirectOptions,
  signal?: AbortSignal,
): Promise<DirectOutcome> {
  const started = await operator.start({ goal }, { ...options, direct: action });
  const over = new AbortController();
  const followed = onEvent && follow(operator, started.id, onEvent, over.signal);
  try {
    const run = await operator.settled(started.id, signal);
    if (!allowOnce || run.pending?.kind !== "approval") return outcomeOf(run);
    await operator.decide(run.pending.approvalId, "once");
    return outcomeOf(await operator.settled(run.id, signal));
  } finally {
    over.abort();
    await followed;
  }
}

async function follow(
  operator: Operator,
  runId: string,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of operator.events(runId, { from: 0, signal })) onEvent(event);
}

/** Throws the error of the call or of its run. */
function outcomeOf(run: Run): DirectOutcome {
  if (run.status !== "ended") return { kind: "waiting", run };
  const observation = run.scratchpad[0]?.observation;
  if (observation?.outputs) return { kind: "done", run, outputs: observation.outputs };
  throw new ReportedError(
    observation?.error ?? run.error ?? { code: "UNEXPECTED_ERROR", message: "The call produced no result." },
  );
}

/** The error of a run as an exception, for callers that requested a single call. */
class ReportedError extends MetahumanError {
  override readonly name = "ReportedError";
  readonly code: ErrorCode;
  constructor({ code, message, context, suggestions }: ErrorDetail) {
    super(message, { ...(context && { context }), ...(suggestions && { suggestions }) });
    this.code = code;
  }
}
