import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Logger } from "@metahuman/core/log/logger";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import { askCurator, type Curating } from "./ask-curator.ts";
import { creditsOf, recordCredits, rememberUses, type Credit } from "./credit.ts";
import { learnFrom } from "./learn.ts";
import type { EndedRun, LearningResult, RunInBackground, RunLearner } from "./run-learner.ts";
import { correctedFunction, proposeCorrection } from "./propose-correction.ts";
import { proposeRepair } from "./propose-repair.ts";
import { withdrawUndone } from "./withdraw-undone.ts";
import { fenceData } from "@metahuman/core/context/fenced";
import { z } from "zod";
import { holdsSecret } from "@metahuman/core/log/redact";

export interface LearnerOptions {
  memory: Pick<MemoryPort, "addMany">;
  router: ModelRouter;
  audit: Pick<AuditLog, "append">;
  logger: Logger;
}

/** Records the results of the functions that a run used, and learns from the run. Failures are logged and audited. */
export function createLearner({ memory, router, audit, logger }: LearnerOptions): RunLearner {
  /** Runs one step of the work. A failure is logged and audited, and affects neither the other steps nor the run. */
  async function attempt<Value>(
    ended: EndedRun,
    work: () => Promise<Value>,
    fallback: Value,
  ): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      const { code, message } = toErrorDetail(error);
      logger.error({ err: error, runId: ended.run.id }, "learning from a run failed");
      await appendAudit(ended, "function_learning_failed", { code, message });
      return fallback;
    }
  }

  async function appendAudit(
    ended: EndedRun,
    event: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    try {
      await audit.append({ event, runId: ended.run.id, details });
    } catch (error) {
      logger.error({ err: error, runId: ended.run.id }, "the audit log could not be written");
    }
  }

  async function credit(ended: EndedRun): Promise<{ notices: string[]; credits: Credit[] }> {
    const credits = await creditsOf(ended);
    const notices = await recordCredits(credits, ended);
    await rememberUses(credits, ended, memory);
    return { notices, credits };
  }

  async function learn(ended: EndedRun, actor?: FunctionActor): Promise<LearningResult> {
    const startedAt = performance.now();
    const result = await learnFrom(ended, actor);
    if (result.kind !== "nothing") {
      const details = {
        functionId: result.id,
        kind: result.kind,
        durationMs: Math.round(performance.now() - startedAt),
      };
      await appendAudit(ended, "function_learned", details);
      if (result.kind === "new" && !actor) await appendAudit(ended, "function_auto_learned", details);
    }
    return result;
  }

  /**
   * Asks a model after the end of the run, and resolves to the result; to undefined if it failed or the operator closed.
   * The calls are audited under the run.
   */
  const askInBackground = <Value>(
    ended: EndedRun,
    runInBackground: RunInBackground,
    work: (curating: Curating) => Promise<Value>,
  ): Promise<Value | undefined> =>
    new Promise((resolve) => {
      runInBackground(async (signal) => {
        const calls: ModelCall[] = [];
        const onModelCall = (call: ModelCall) => void calls.push(call);
        const found = await attempt<Value | undefined>(
          ended,
          async () => {
            try {
              return await work({ router, signal, onModelCall });
            } catch (error) {
              // The operator is closing: the draft stays unchanged.
              if (!signal.aborted) throw error;
              return undefined;
            }
          },
          undefined,
        );
        for (const call of calls) await appendAudit(ended, "llm_call", callMetrics(call));
        resolve(found);
      });
    });

  /** The sentence about a proposal that the person's correction of a function led to, if it did. */
  async function correct(ended: EndedRun, runInBackground: RunInBackground): Promise<string | undefined> {
    const corrected = await attempt(ended, () => correctedFunction(ended), undefined);
    return (
      corrected &&
      askInBackground(ended, runInBackground, (curating) => proposeCorrection(corrected, ended, curating))
    );
  }

  const describeInBackground = (id: string, ended: EndedRun, runInBackground: RunInBackground): void =>
    void askInBackground(ended, runInBackground, (curating) => rewriteDescription(id, ended, curating));

  return {
    async learn(ended, actor, runInBackground) {
      const result = await learn(ended, actor);
      if (result.kind === "new") describeInBackground(result.id, ended, runInBackground);
      return result;
    },
    async recordResults(ended, runInBackground) {
      const { notices, credits } = await attempt(ended, () => credit(ended), { notices: [], credits: [] });
      const withdrawn = await attempt(ended, () => withdrawUndone(ended), []);
      const correction = await correct(ended, runInBackground);
      const result: LearningResult =
        correction === undefined
          ? await attempt(ended, () => learn(ended), { kind: "nothing", reason: "It failed." })
          : { kind: "nothing", reason: "It corrects a function." };
      const failed = credits.filter(({ record }) => record.outcome === "failed");
      if (result.kind === "new") describeInBackground(result.id, ended, runInBackground);
      for (const { record } of failed)
        void askInBackground(ended, runInBackground, (curating) => proposeRepair(record, ended, curating));
      return [
        ...[...notices, ...withdrawn, ...(correction === undefined ? [] : [correction])].map((message) => ({
          type: "warning-raised" as const,
          message,
        })),
        ...(result.kind === "new"
          ? [{ type: "function-learned" as const, function: { id: result.id, title: result.title } }]
          : []),
      ];
    },
  };
}

const Description = z.object({
  title: z.string().trim().min(3).max(120),
  summary: z.string().trim().min(3).max(600),
  tags: z.array(z.string().trim().min(1).max(40)).max(8).default([]),
});

/** Rewrites the title, summary and tags of a new draft with a model. Without a model the draft is unchanged. */
async function rewriteDescription(
  id: string,
  { functions, run }: EndedRun,
  curating: Curating,
): Promise<void> {
  const draft = await functions.loadFunction(id);
  const user = [
    `Request: ${fenceData(run.goal)}`,
    `Steps:\n${fenceData(draft.steps.map((step, index) => `${String(index + 1)}. ${step}`).join("\n"))}`,
    `Parameters: ${draft.parameters.map(({ name }) => name).join(", ") || "none"}`,
  ].join("\n");
  const description = await askCurator(Description, { prompt: "word-draft", user }, curating);
  if (description === undefined || holdsSecret(description)) return;
  const current = await functions.loadFunction(id);
  // A person may have edited the draft meanwhile; their text stays.
  if (current.version !== draft.version) return;
  const tags = [...new Set([...current.tags, ...description.tags])];
  await functions.updateFunction(
    id,
    { title: description.title, summary: description.summary, tags, version: current.version },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
}
