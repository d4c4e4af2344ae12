import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { Logger } from "@metahuman/core/log/logger";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import type { FunctionsAfter, Later } from "../operator/post-run/post-run.ts";
import { askCurator, type Curating } from "./ask-curator.ts";
import { creditsOf, recordCredits, rememberUses, type Credit } from "./credit.ts";
import type { EndedRun } from "./ended-run.ts";
import { learnFrom, type Lesson } from "./learn.ts";
import { proposeRepair } from "./propose-repair.ts";
import { fenced } from "@metahuman/core/context/fenced";
import { z } from "zod";
import { holdsSecret } from "./should-learn.ts";

export interface LearnerOptions {
  memory: Pick<MemoryPort, "addMany">;
  router: ModelRouter;
  audit: Pick<AuditLog, "append">;
  logger: Logger;
}

/** Gives functions the credit they earned in a run, and learns from it. What it cannot do is logged and audited. */
export function createLearner({ memory, router, audit, logger }: LearnerOptions): FunctionsAfter {
  /** Does one part; a failure of it must not keep the others, nor the run, from their end. */
  async function part<Value>(ended: EndedRun, work: () => Promise<Value>, without: Value): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      const { code, message } = toErrorDetail(error);
      logger.error({ err: error, runId: ended.run.id }, "functions could not learn from a run");
      await note(ended, "function_learning_failed", { code, message });
      return without;
    }
  }

  async function note(ended: EndedRun, event: string, details: Record<string, unknown>): Promise<void> {
    try {
      await audit.append({ event, runId: ended.run.id, details });
    } catch (error) {
      logger.error({ err: error, runId: ended.run.id }, "the audit log could not be written");
    }
  }

  async function credit(ended: EndedRun): Promise<{ notices: string[]; credits: Credit[] }> {
    const credits = creditsOf(ended);
    const notices = await recordCredits(credits, ended);
    await rememberUses(credits, ended, memory);
    return { notices, credits };
  }

  async function learn(ended: EndedRun, asking?: FunctionActor): Promise<Lesson> {
    const began = performance.now();
    const lesson = await learnFrom(ended, asking);
    if (lesson.kind !== "nothing") {
      const details = {
        functionId: lesson.id,
        kind: lesson.kind,
        durationMs: Math.round(performance.now() - began),
      };
      await note(ended, "function_learned", details);
      if (lesson.kind === "new" && !asking) await note(ended, "function_auto_learned", details);
    }
    return lesson;
  }

  /** Asks a model after the run's end; its calls are audited beside the run's own. */
  const askLater = (ended: EndedRun, later: Later, work: (curating: Curating) => Promise<void>): void =>
    later(async (signal) => {
      const calls: ModelCall[] = [];
      const onModelCall = (call: ModelCall) => void calls.push(call);
      await part(ended, () => work({ router, signal, onModelCall }), undefined);
      for (const call of calls) await note(ended, "llm_call", callMetrics(call));
    });

  const wordLater = (id: string, ended: EndedRun, later: Later): void =>
    askLater(ended, later, (curating) => wordAnew(id, ended, curating));

  return {
    async learn(ended, asking, later) {
      const lesson = await learn(ended, asking);
      if (lesson.kind === "new") wordLater(lesson.id, ended, later);
      return lesson;
    },
    async settle(ended, later) {
      const { notices, credits } = await part(ended, () => credit(ended), { notices: [], credits: [] });
      const lesson = await part(ended, () => learn(ended), { kind: "nothing", reason: "It failed." });
      const failed = credits.filter(({ record }) => record.outcome === "failed");
      if (lesson.kind === "new") wordLater(lesson.id, ended, later);
      for (const { record } of failed)
        askLater(ended, later, (curating) => proposeRepair(record, ended, curating));
      return [
        ...notices.map((message) => ({ type: "warning-raised" as const, message })),
        ...(lesson.kind === "new"
          ? [{ type: "function-learned" as const, function: { id: lesson.id, title: lesson.title } }]
          : []),
      ];
    },
  };
}

const Words = z.object({
  title: z.string().trim().min(3).max(120),
  summary: z.string().trim().min(3).max(600),
  tags: z.array(z.string().trim().min(1).max(40)).max(8).default([]),
});

/** Gives a new draft a title, summary and tags in a model's words; without a model it keeps those it has. */
async function wordAnew(id: string, { functions, run }: EndedRun, curating: Curating): Promise<void> {
  const draft = await functions.loadFunction(id);
  const user = [
    `Request: ${fenced(run.goal)}`,
    `Steps:\n${fenced(draft.steps.map((step, index) => `${String(index + 1)}. ${step}`).join("\n"))}`,
    `Parameters: ${draft.parameters.map(({ name }) => name).join(", ") || "none"}`,
  ].join("\n");
  const words = await askCurator(Words, { prompt: "word-draft", user }, curating);
  if (words === undefined || holdsSecret(words)) return;
  const current = await functions.loadFunction(id);
  // Somebody may have worded it meanwhile: theirs stands.
  if (current.version !== draft.version) return;
  const tags = [...new Set([...current.tags, ...words.tags])];
  await functions.updateFunction(
    id,
    { title: words.title, summary: words.summary, tags, version: current.version },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
}
