import type { RunEvent } from "@metahuman/core/contract/event";
import type { Feedback } from "@metahuman/core/contract/http";
import type { Region } from "@metahuman/core/contract/region";
import type { Observation, Run } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import type { LearningResult } from "../learner/run-learner.ts";
import { type ApprovalDecisions, createApprovalDecisions } from "./approval-decisions.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import { createOfferDecisions } from "./offers.ts";
import type { OperatorOptions } from "./operator-options.ts";
import { createPostRun } from "./post-run/post-run.ts";
import { createRunAccess } from "./run-access.ts";
import { type RunControl, createRunControl } from "./run-control.ts";

/** Executes requests as runs. A run continues after its caller disconnects; only `cancel` ends it early. */
export interface Operator extends RunControl, Pick<ApprovalDecisions, "decide"> {
  /** Resolves when the run has ended, waits for a person, or was interrupted. */
  settled(runId: string, signal?: AbortSignal): Promise<Run>;
  /** Every event after `from`, then live ones, ending after `run-ended`; `answer-delta`s only while live. */
  events(runId: string, options: { from: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** Stores a person's verdict on an ended run, replacing an earlier one. Throws `ConflictError` before the run's end. */
  giveFeedback(runId: string, feedback: Feedback): Promise<Run>;
  /**
   * Learns from an ended run on a person's request. Throws `ConflictError` before the run's end, and where functions are
   * switched off.
   */
  learnFrom(runId: string, actor: FunctionActor): Promise<LearningResult>;
  skills(): readonly SkillCard[];
  /** An observation in one sentence for a person; the content of one that has no outputs. */
  sentenceOf(tool: string, observation: Observation, region: Region): string;
  /** The ids of the skills that only steer a run, such as asking and answering; cheaper than `skills()`. */
  controlSkills(): ReadonlySet<string>;
}

/** The operator for the code that opens and closes it. */
export interface OperatorService extends Operator {
  /** The run with its model calls and feedback. */
  inspect(runId: string): Promise<Run>;
  /** The storage that holds this run; throws `NotFoundError`. */
  storageOf(runId: string): Promise<RunStorage>;
  /** Interrupts the runs of ended processes and claims queued ones. Call it once, before any other method. */
  open(): Promise<void>;
  close(graceMs: number): Promise<void>;
}

export function createOperator(options: OperatorOptions): OperatorService {
  const { persistent, ephemeral } = options;
  const postRun = options.learner && createPostRun(options, options.learner);
  const access = createRunAccess(options, postRun);
  const { storageOf, inspect } = access;
  const approvals = createApprovalDecisions(options, access);
  const offers = createOfferDecisions(options, access);

  return {
    ...createRunControl(options, access, offers),
    skills: () => options.cards,
    sentenceOf(tool, { success, outputs, content }, region) {
      const skill = success && outputs && options.skills.find(({ id }) => id === tool);
      return skill ? skill.narrate(outputs, region) : content;
    },
    controlSkills: () =>
      new Set(options.skills.filter(({ category }) => category === "agent").map(({ id }) => id)),
    storageOf,
    inspect,
    decide: approvals.decide,

    async settled(runId, signal) {
      const { feed } = await storageOf(runId);
      return feed.until(
        runId,
        ({ status }) => status === "ended" || status === "waiting" || status === "interrupted",
        signal,
      );
    },

    async *events(runId, watching) {
      yield* (await storageOf(runId)).feed.events(runId, watching);
    },

    async giveFeedback(runId, { verdict, note, functionId }) {
      const { store } = await storageOf(runId);
      const run = await store.run(runId);
      const { status, outcome } = run;
      if (status !== "ended") throw new ConflictError("The run has not ended yet.", { context: { status } });
      if (functionId !== undefined && verdict === "not_useful") {
        await offers.refuse(run, functionId);
        return inspect(runId);
      }
      const at = options.clock().toISOString();
      await store.giveFeedback(runId, { verdict, ...(note !== undefined && { note }), at });
      await options.memory.feedbackOnRun(runId, verdict);
      const details = { verdict, outcome, ...(note !== undefined && { note }) };
      await postRun?.recordVerdict(run, verdict);
      await options.audit.append({ event: "run_feedback_given", runId, actor: options.username, details });
      return inspect(runId);
    },

    async learnFrom(runId, actor) {
      const storage = await storageOf(runId);
      const run = await storage.store.run(runId);
      if (!postRun) throw new ConflictError("Learning is not available here.");
      return postRun.learn(run, storage, actor);
    },

    async open() {
      if (options.mayHoldRuns?.() === false) return;
      await persistent.store.interruptLost();
      if (options.adopt) {
        await approvals.expire();
        await access.claimQueued(persistent);
      }
    },

    async close(graceMs) {
      approvals.close();
      await access.closeSchedulers(graceMs);
      // Post-run work may still store and publish events, so it ends before the stores close.
      const { conversationSummaries, conversationTitles } = options;
      await Promise.all([postRun?.close(), conversationSummaries.close(), conversationTitles?.close()]);
      for (const { store, feed } of [persistent, ephemeral]) {
        await store.close();
        feed.close();
      }
    },
  };
}
