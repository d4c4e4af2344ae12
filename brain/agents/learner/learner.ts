import type { AuditLog } from "@metahuman/core/audit/audit-log";
import { fenceData } from "@metahuman/core/context/fenced";
import type { NewMemory } from "@metahuman/core/contract/memory";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import type { FunctionUse, Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { FunctionActor, FunctionUseRecord } from "@metahuman/core/functions/functions-port";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import { COMPOSE_SKILL } from "@metahuman/core/functions/recipe/compose-steps";
import { isOwnFailureCode, usageEvent } from "@metahuman/core/functions/upkeep/function-use";
import type { EarlierCall } from "@metahuman/core/language/references/earlier-calls";
import type { Logger } from "@metahuman/core/log/logger";
import { holdsSecret } from "@metahuman/core/log/redact";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import type { ModelRouter } from "@metahuman/models/router";
import type { Skill } from "@metahuman/skills/define-skill";
import { callsInOutputs } from "@metahuman/skills/support/code-outcome";
import { z } from "zod";
import { askCurator, type CuratorCallOptions } from "./ask-curator.ts";
import { learnFrom } from "./learn.ts";
import { correctedFunction, proposeCorrection, proposeRepair } from "./propose-changes.ts";
import type { EndedRun, LearningResult, RunInBackground, RunLearner } from "./run-learner.ts";
import { factsAbout } from "./should-learn.ts";

export interface LearnerOptions {
  memory: Pick<MemoryPort, "addMany">;
  router: ModelRouter;
  audit: Pick<AuditLog, "append">;
  logger: Logger;
}

/** Records the results of the functions that a run used, and learns from the run. Failures are logged and audited. */
export function createLearner({ memory, router, audit, logger }: LearnerOptions): RunLearner {
  const { attempt, appendAudit } = createAttempts({ audit, logger });

  async function credit(ended: EndedRun): Promise<{ notices: string[]; credits: FunctionCredit[] }> {
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
    work: (curating: CuratorCallOptions) => Promise<Value>,
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

/** Runs steps of the work whose failures affect neither the other steps nor the run. */
function createAttempts({ audit, logger }: Pick<LearnerOptions, "audit" | "logger">) {
  /** Adds to the audit log. A failure is logged. */
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

  /** Runs one step of the work. A failure is logged and audited, and results in `fallback`. */
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

  return { attempt, appendAudit };
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
  curating: CuratorCallOptions,
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

const MAX_TEXT_LENGTH = 2_000;

/** The result of one function in a run. */
export interface FunctionCredit {
  use: FunctionUse;
  record: FunctionUseRecord;
  steps: readonly ScratchpadEntry[];
}

/** True for a refused call into which a model copied placeholders of the function: the function did not fail. */
const isLeftUnfilled = ({ action, observation }: ScratchpadEntry): boolean =>
  observation?.error?.code === "INVALID_ARGS" && sourcesIn(action?.args).length > 0;

/** The results of all functions of a run. Offered, followed and successful are counted separately. */
async function creditsOf(ended: EndedRun): Promise<FunctionCredit[]> {
  const credits: FunctionCredit[] = [];
  for (const use of ended.run.functionsUsed) {
    const steps = ended.run.scratchpad.filter(
      (entry) =>
        entry.functionId === use.id && entry.action?.tool !== "function_run" && !isLeftUnfilled(entry),
    );
    // Skills that run a function count the use themselves.
    if (use.followed && steps.length === 0) continue;
    const found = outcomeOf(use, steps, ended);
    const isAbandoned = found.outcome === "succeeded" && !(await hasMadeLastChange(use.id, ended));
    const outcome = isAbandoned ? ("followed" as const) : found.outcome;
    credits.push({ use, steps, record: { ...found, outcome, functionId: use.id, runId: ended.run.id } });
  }
  return credits;
}

/**
 * False if the function ends with a change and the run made none of that skill: it was followed to a question, and the
 * answer was another request.
 */
async function hasMadeLastChange(id: string, { run, functions, skills }: EndedRun): Promise<boolean> {
  const factsOf = factsAbout(skills);
  const isChange = (skill: string): boolean => {
    const facts = factsOf(skill);
    return (
      facts !== undefined && !facts.reads && !facts.finds && !facts.controlsRun && skill !== COMPOSE_SKILL
    );
  };
  try {
    const { recipe, skillsUsed, examples } = await functions.loadFunction(id);
    const made = recipe?.actions.map(({ skill }) => skill) ?? examples.at(-1)?.skillSequence ?? skillsUsed;
    const last = made.findLast(isChange);
    return (
      last === undefined ||
      run.scratchpad.some(({ action, observation }) => action?.tool === last && observation?.success === true)
    );
  } catch (error) {
    // The function may have been deleted meanwhile.
    if (error instanceof FunctionNotFoundError) return true;
    throw error;
  }
}

function outcomeOf(
  use: FunctionUse,
  steps: readonly ScratchpadEntry[],
  { outcome, usage, replay }: EndedRun,
): Omit<FunctionUseRecord, "functionId" | "runId"> {
  if (!use.followed || steps.length === 0) return { outcome: "offered" };
  const cost = {
    planningCalls: usage.planningCalls,
    tokens: usage.promptTokens + usage.completionTokens,
    executionTimeMs: steps.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  };
  const last = steps.at(-1)?.observation;
  const code = last?.success === false ? last.error?.code : undefined;
  if (outcome === "cancelled" || (code !== undefined && !isOwnFailureCode(code)))
    return { outcome: "followed", ...cost };
  const replayed = replay?.id === use.id ? replay : undefined;
  // What an unaccepted change did says nothing about the accepted version.
  if (replayed?.isUnacceptedChange) return { outcome: "followed", ...cost };
  const deviation = replayed?.deviation;
  if (last?.success === false || deviation !== undefined)
    return {
      outcome: "failed",
      error: (deviation ?? last?.error?.message ?? "It failed.").slice(0, MAX_TEXT_LENGTH),
      ...cost,
    };
  return { outcome: outcome === "answered" ? "succeeded" : "followed", ...cost };
}

/** Records the results. Returns a notice for the person about each function that was disabled. */
async function recordCredits(credits: readonly FunctionCredit[], { functions }: EndedRun): Promise<string[]> {
  const notices: string[] = [];
  for (const { record } of credits) {
    const { status, statusReason = "", title } = await functions.recordFunctionUse(record);
    if (record.outcome === "failed" && status === "disabled")
      notices.push(`The function “${title}” was disabled. ${statusReason}`.trim());
  }
  return notices;
}

/** Stores an episodic memory of each function that was followed. */
async function rememberUses(
  credits: readonly FunctionCredit[],
  { run, mode, replay }: EndedRun,
  memory: Pick<MemoryPort, "addMany">,
): Promise<void> {
  if (mode === "emulation") return;
  const events = credits.filter(({ steps }) => steps.length > 0).map((credit) => usageOf(credit, replay));
  const source = { kind: "operator" as const, runId: run.id, conversationId: run.conversationId };
  if (events.length > 0) await memory.addMany(events, { source, trust: "untrusted" });
}

function usageOf({ use, record, steps }: FunctionCredit, replay: EndedRun["replay"]): NewMemory {
  return usageEvent({
    ...record,
    function: use,
    inputs: replay?.id === use.id ? replay.values : (steps[0]?.action?.args ?? {}),
    outputs: steps.at(-1)?.observation?.outputs ?? {},
  });
}

/**
 * Deletes the drafts that were learned from earlier runs of the conversation which this run undid, and resolves to a sentence for
 * each. Verified functions and drafts with further examples stay. A person can restore what was deleted.
 */
async function withdrawUndone(ended: EndedRun): Promise<string[]> {
  const { run, outcome, functions, skills } = ended;
  const calls = callsOf(run);
  if (outcome !== "answered" || calls.length === 0) return [];
  const undone = (await ended.earlierRuns()).filter(
    (earlier) => earlier.learnedFunction !== undefined && isUndoneBy(calls, callsOf(earlier), skills),
  );
  const sentences: string[] = [];
  for (const { id, learnedFunction } of undone) {
    const draft = await unlessDeleted(() => functions.loadFunction(learnedFunction?.id ?? ""));
    if (draft?.trust !== "draft" || draft.sourceOperatorRunId !== id || draft.examples.length > 1) continue;
    const by = { by: "learner", isPerson: false, isOwner: false, runId: run.id };
    if (!(await unlessDeleted(() => functions.deleteFunction(draft.id, by)))) continue;
    sentences.push(`The draft “${draft.title}” was withdrawn, because what it was learned from was undone.`);
  }
  return sentences;
}

/** The result; undefined if the function was deleted meanwhile. */
async function unlessDeleted<Value>(load: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  }
}

/** The calls that succeeded, with those that code made. */
function callsOf({ scratchpad }: Pick<Run, "scratchpad">): EarlierCall[] {
  return scratchpad.flatMap(({ action, observation }) =>
    action && observation?.success === true
      ? [
          { skill: action.tool, args: action.args, outputs: observation.outputs },
          ...callsInOutputs(observation.outputs),
        ]
      : [],
  );
}

/** True if the calls reverse every earlier call that can be reversed, and there is at least one. */
function isUndoneBy(
  calls: readonly EarlierCall[],
  earlier: readonly EarlierCall[],
  skills: readonly Skill[],
): boolean {
  const reversals = earlier.flatMap(({ skill, args, outputs }) => {
    const reverse = skills.find(({ id }) => id === skill)?.reverse;
    const undoing = outputs && reverse?.({ args: { ...args }, outputs: { ...outputs } });
    return undoing === undefined ? [] : [undoing];
  });
  return (
    reversals.length > 0 &&
    reversals.every((undoing) =>
      undoing.every(({ skill, args }) =>
        calls.some((call) => call.skill === skill && mentionsAll(call, args)),
      ),
    )
  );
}

/** True if the call or its result contains every text of the arguments. A model may name an archive entry by its path. */
function mentionsAll({ args, outputs }: EarlierCall, wanted: Readonly<Record<string, unknown>>): boolean {
  const known = new Set(leavesOf([args, outputs ?? {}]).map(({ value }) => value));
  return leavesOf([wanted]).every(({ value }) => typeof value !== "string" || known.has(value));
}
