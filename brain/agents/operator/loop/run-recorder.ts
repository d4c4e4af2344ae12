import type { AuditEvent } from "@metahuman/core/contract/audit";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import type { Run, Usage } from "@metahuman/core/contract/run";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import type { ClaimedRun, RunStorage } from "./run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { RunDependencies } from "./run-context.ts";

export type Recording = Pick<RunDependencies, "audit" | "auditLater" | "audited" | "onModelCall" | "usage">;

/** Records what is not an event of a run: audit entries, model calls and usage. */
export function createRunRecorder(
  { run: currentRun, claim }: Pick<ClaimedRun, "run" | "claim">,
  { surface }: RunRequest,
  { store }: RunStorage,
  { audit, username, logger, clock }: Pick<OperatorOptions, "audit" | "username" | "logger" | "clock">,
): Recording {
  const { id: runId, usage: before } = currentRun();
  const usage = startUsage(before);
  const pending = new Set<Promise<void>>();
  /** Tracks background work; only the end of the run awaits it. */
  const track = (work: Promise<void>, failure: string): void => {
    const done = work
      .catch((error: unknown) => logger.error({ err: error, runId }, failure))
      .finally(() => pending.delete(done));
    pending.add(done);
  };
  const record: Recording["audit"] = (event, details) =>
    audit.append({ event, runId, actor: username, surface, details });
  const auditLater = (event: AuditEvent["event"], details: Record<string, unknown>): void =>
    track(record(event, details), "the audit log could not be written");

  return {
    audit: record,
    auditLater,
    async audited() {
      await Promise.all(pending);
    },
    onModelCall(call) {
      usage.add(call);
      auditLater("llm_call", callMetrics(call));
      track(
        store.noteModelCall(claim, recordOf(call, currentRun(), clock())),
        "a model call could not be stored for the run inspector",
      );
    },
    usage: () => usage.total(),
  };
}

/** How much of a model's thinking is stored, in characters. */
const MAX_THINKING = 50_000;

function recordOf({ messages, thinking, ...call }: ModelCall, run: Run, at: Date): ModelCallRecord {
  return {
    ...call,
    ...(thinking !== undefined && { thinking: thinking.slice(0, MAX_THINKING).toWellFormed() }),
    step: currentStep(run),
    messages: messages.map(({ role, content }) => ({ role, content })),
    at: at.toISOString(),
  };
}

/** The current step: the first one without an observation, or the one being planned. */
function currentStep({ scratchpad }: Run): number {
  const open = scratchpad.find(({ action, observation }) => action && !observation);
  return open?.step ?? (scratchpad.at(-1)?.step ?? 0) + 1;
}

/** Adds to the usage that the run had when this process claimed it. */
function startUsage(before: Usage) {
  const startedAt = performance.now();
  const sum = { ...before };
  return {
    add({ purpose, promptTokens, completionTokens }: ModelCall): void {
      sum.modelCalls += 1;
      if (purpose === "plan" || purpose === "choose") sum.planningCalls += 1;
      sum.promptTokens += promptTokens;
      sum.completionTokens += completionTokens;
    },
    total: (): Usage => ({
      ...sum,
      durationMs: before.durationMs + Math.round(performance.now() - startedAt),
    }),
  };
}
