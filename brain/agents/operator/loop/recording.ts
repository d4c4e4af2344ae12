import type { AuditEvent } from "@metahuman/core/contract/audit";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import type { Run, Usage } from "@metahuman/core/contract/run";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import type { ClaimedRun, RunStorage } from "./run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { RunDependencies } from "./run-context.ts";

type Recording = Pick<RunDependencies, "audit" | "auditLater" | "audited" | "modelCalled" | "usage">;

/** Takes down what a run does besides its events: lines in the audit log, calls to models, and what all of it costs. */
export function recordingOf(
  { run: carried, claim }: Pick<ClaimedRun, "run" | "claim">,
  { surface }: RunRequest,
  { store }: RunStorage,
  { audit, username, logger, clock }: Pick<OperatorOptions, "audit" | "username" | "logger" | "clock">,
): Recording {
  const { id: runId, usage: before } = carried();
  const usage = startUsage(before);
  const pending = new Set<Promise<void>>();
  /** For what nothing waits for but the run's end. */
  const later = (work: Promise<void>, failure: string): void => {
    const done = work
      .catch((error: unknown) => logger.error({ err: error, runId }, failure))
      .finally(() => pending.delete(done));
    pending.add(done);
  };
  const record: Recording["audit"] = (event, details) =>
    audit.append({ event, runId, actor: username, surface, details });
  const auditLater = (event: AuditEvent["event"], details: Record<string, unknown>): void =>
    later(record(event, details), "the audit log could not be written");

  return {
    audit: record,
    auditLater,
    async audited() {
      await Promise.all(pending);
    },
    modelCalled(call) {
      usage.add(call);
      auditLater("llm_call", callMetrics(call));
      later(
        store.noteModelCall(claim, recordOf(call, carried(), clock())),
        "a model call could not be kept for the run's inspector",
      );
    },
    usage: () => usage.until(),
  };
}

function recordOf({ messages, ...call }: ModelCall, run: Run, at: Date): ModelCallRecord {
  return {
    ...call,
    step: stepInHand(run),
    messages: messages.map(({ role, content }) => ({ role, content })),
    at: at.toISOString(),
  };
}

/** The step that is being worked on: the first open one, or the one that is being planned. */
function stepInHand({ scratchpad }: Run): number {
  const open = scratchpad.find(({ action, observation }) => action && !observation);
  return open?.step ?? (scratchpad.at(-1)?.step ?? 0) + 1;
}

/** Adds up what a run costs, on top of what it had cost when it was last left. */
function startUsage(before: Usage) {
  const began = performance.now();
  const sum = { ...before };
  return {
    add({ purpose, promptTokens, completionTokens }: ModelCall): void {
      sum.modelCalls += 1;
      if (purpose === "plan") sum.planningCalls += 1;
      sum.promptTokens += promptTokens;
      sum.completionTokens += completionTokens;
    },
    until: (): Usage => ({ ...sum, durationMs: before.durationMs + Math.round(performance.now() - began) }),
  };
}
