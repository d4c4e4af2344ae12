import type { Approval, ApprovalDecision } from "@metahuman/core/contract/approval";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Feedback, OperatorRequest } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import { regionOf } from "@metahuman/core/contract/region";
import { securityPolicy } from "@metahuman/core/policy/security-policy";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { Committed, RunRequest } from "@metahuman/core/runs/run-store";
import type { Lesson } from "../learner/learn.ts";
import { createPostRun } from "./post-run/post-run.ts";
import { createRunScheduler, type RunScheduler, type RunStorage } from "./loop/run-scheduler.ts";
import { removeOldestConversations, resolveConversation } from "./loop/conversations.ts";
import { createRunDependencies } from "./loop/run-dependencies.ts";
import type { OperatorOptions, StartOptions } from "./operator-options.ts";
import { rememberRun } from "./post-run/remember.ts";
import { effectivePolicy } from "./loop/effective-policy.ts";
import {
  answered,
  cancelled,
  expired,
  isOverdue,
  noQuestionError,
  notPendingError,
  resolved,
  resumed,
} from "./loop/run-transitions.ts";

/** Executes requests as runs. A run continues after its caller disconnects; only `cancel` ends it early. */
export interface Operator {
  /** Commits the run (`queued` or `running`) before it returns. */
  start(request: OperatorRequest, options: StartOptions): Promise<Run>;
  /** Resolves when the run has ended, waits for a person, or was interrupted. */
  settled(runId: string, signal?: AbortSignal): Promise<Run>;
  /** Every event after `from`, then live ones, ending after `run-ended`; `answer-delta`s only while live. */
  events(runId: string, options: { from: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  cancel(runId: string): Promise<Run>;
  /** Queues an interrupted run again. Throws `ConflictError` for any other. */
  resume(runId: string, options: StartOptions): Promise<Run>;
  /**
   * Starts a new run for the same request that continues from the steps of a run that ended without an answer. Throws
   * `ConflictError` for any other run.
   */
  continueRun(runId: string, options: StartOptions): Promise<Run>;
  /** Answers the question that a run waits for. */
  answer(runId: string, text: string): Promise<Run>;
  decide(approvalId: string, decision: ApprovalDecision, reason?: string): Promise<Approval>;
  /** Stores a person's verdict on an ended run, replacing an earlier one. Throws `ConflictError` before the run's end. */
  giveFeedback(runId: string, feedback: Feedback): Promise<Run>;
  /**
   * Learns from an ended run on a person's request. Throws `ConflictError` before the run's end, and where functions are
   * switched off.
   */
  learnFrom(runId: string, actor: FunctionActor): Promise<Lesson>;
  skills(): readonly SkillCard[];
  /** The ids of the skills that only steer a run, such as asking and answering; cheaper than `skills()`. */
  steering(): ReadonlySet<string>;
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

/** How long `cancel` waits for a run to stop, in milliseconds. */
const CANCEL_WAIT_MS = 5_000;

export function createOperator(options: OperatorOptions): OperatorService {
  const { persistent, ephemeral, logger } = options;
  const postRun = options.learner && createPostRun(options, options.learner);
  const schedulers = new Map<RunStorage, RunScheduler>(
    [persistent, ephemeral].map((storage) => [storage, schedulerOf(storage)]),
  );

  function schedulerOf(storage: RunStorage): RunScheduler {
    return createRunScheduler({
      ...storage,
      dependencies: (run, carried) => createRunDependencies(run, carried, storage, options, postRun),
      maxConcurrent: () => options.config.current().operator.runs.maxConcurrent,
      adopt: options.adopt,
      logger,
    });
  }

  async function storageOf(runId: string): Promise<RunStorage> {
    for (const storage of [ephemeral, persistent]) if (await storage.store.hasRun(runId)) return storage;
    throw new NotFoundError("There is no such run.");
  }

  const claimQueued = async (storage: RunStorage) => schedulers.get(storage)?.claimQueued();

  /** Publishes the events of a person's change, and claims the run when it is queued again. */
  async function publish(storage: RunStorage, { events, run }: Committed): Promise<Run> {
    storage.feed.published(events);
    await claimQueued(storage);
    return storage.store.run(run.id);
  }

  async function inspect(runId: string): Promise<Run> {
    const { store } = await storageOf(runId);
    const [run, modelCalls, feedback] = await Promise.all([
      store.run(runId),
      store.modelCalls(runId),
      store.feedback(runId),
    ]);
    return { ...run, modelCalls, ...(feedback && { feedback }) };
  }

  async function rememberCancelledRun(run: Run): Promise<void> {
    try {
      const { identity, request } = await persistent.store.request(run.id);
      const { mode } = effectivePolicy(identity, await options.settings());
      await rememberRun(options.memory, {
        run,
        answer: undefined,
        outcome: "cancelled",
        mode,
        sessionId: request.sessionId,
        skills: options.skills,
      });
    } catch (error) {
      logger.error({ err: error, runId: run.id }, "the memories of a cancelled run could not be stored");
    }
  }

  /** The decision counts even when the audit log cannot be written. */
  async function auditDecision(
    approval: Approval,
    decision: ApprovalDecision | "expired",
    reason: string | undefined,
  ): Promise<void> {
    const { id, runId, tool, argsHash } = approval;
    const details = {
      approvalId: id,
      skill: tool,
      argsHash,
      decision,
      ...(reason !== undefined && { reason }),
    };
    try {
      await options.audit.append({ event: "approval_decided", runId, actor: options.username, details });
    } catch (error) {
      logger.error({ err: error, runId }, "the audit log could not be written");
    }
  }

  async function expireApprovals(): Promise<void> {
    for (const { approval, committed } of await expireOverdueApprovals(persistent, options.clock())) {
      await auditDecision(approval, "expired", undefined);
      await publish(persistent, committed);
    }
  }

  const expiryTimer = options.adopt
    ? setInterval(() => {
        expireApprovals().catch((error: unknown) =>
          logger.error({ err: error }, "overdue approvals could not be expired"),
        );
      }, EXPIRY_INTERVAL_MS).unref()
    : undefined;

  return {
    skills: () => options.cards,
    steering: () =>
      new Set(options.skills.filter(({ category }) => category === "agent").map(({ id }) => id)),
    storageOf,

    async start(request, { identity, surface, observationMode, direct, occurrence }) {
      const policy = securityPolicy(identity);
      if (!policy.canUseOperator)
        throw new ForbiddenError("This needs an account that may use the operator.");
      const runRequest: RunRequest = {
        // Stored with the request, so that another process reads its dates in the same time zone.
        request: { ...request, ...regionOf(request, await options.settings()) },
        identity,
        surface,
        ...(observationMode && { observationMode }),
        ...(direct && { direct }),
        ...(occurrence && { occurrence }),
      };
      const storage = policy.canUseSkills ? persistent : ephemeral;
      const run = await storage.store.create(await resolveConversation(runRequest, storage, options));
      if (storage === ephemeral) await removeOldestConversations(ephemeral);
      await claimQueued(storage);
      return storage.store.run(run.id);
    },

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

    async cancel(runId) {
      const storage = await storageOf(runId);
      const ended = await changeIdleRun(storage, runId, cancelled);
      if (ended) {
        if (ended.events.length > 0 && storage === persistent) await rememberCancelledRun(ended.run);
        return publish(storage, ended);
      }
      if (schedulers.get(storage)?.stop(runId) !== true) await storage.store.requestCancel(runId);
      const settled = ({ status }: Run) => status === "ended" || status === "interrupted";
      return storage.feed.until(runId, settled, AbortSignal.timeout(CANCEL_WAIT_MS));
    },

    async resume(runId, { identity }) {
      const storage = await storageOf(runId);
      const committed = await changeIdleRun(storage, runId, resumed, identity);
      if (!committed) throw new ConflictError("The run is already being executed.");
      return publish(storage, committed);
    },

    async continueRun(runId, { identity, surface }) {
      const storage = await storageOf(runId);
      const previous = await storage.store.run(runId);
      if (previous.status !== "ended" || previous.outcome === "answered")
        throw new ConflictError(
          previous.status === "ended"
            ? "This run was answered, so there is nothing to continue."
            : "Only a run that has ended can be continued.",
          { context: { status: previous.status, outcome: previous.outcome ?? null } },
        );
      const { request, observationMode } = await storage.store.request(runId);
      const { background: _background, ...again } = request;
      const run = await storage.store.create({
        request: { ...again, conversationId: previous.conversationId },
        identity,
        surface,
        continues: runId,
        ...(observationMode && { observationMode }),
      });
      await claimQueued(storage);
      return storage.store.run(run.id);
    },

    async answer(runId, text) {
      const storage = await storageOf(runId);
      const committed = await changeIdleRun(storage, runId, (run) => answered(run, text, options.skills));
      if (!committed) throw noQuestionError();
      return publish(storage, committed);
    },

    async decide(approvalId, decision, reason) {
      await expireApprovals();
      const approval = await persistent.store.approval(approvalId);
      const committed = await changeIdleRun(persistent, approval.runId, (run) =>
        resolved(run, approval, decision, reason),
      );
      if (!committed) throw notPendingError(approval);
      await auditDecision(approval, decision, reason);
      await publish(persistent, committed);
      return persistent.store.approval(approvalId);
    },

    async giveFeedback(runId, { verdict, note }) {
      const { store } = await storageOf(runId);
      const run = await store.run(runId);
      const { status, outcome } = run;
      if (status !== "ended") throw new ConflictError("The run has not ended yet.", { context: { status } });
      const at = options.clock().toISOString();
      await store.giveFeedback(runId, { verdict, ...(note !== undefined && { note }), at });
      await options.memory.feedbackOnRun(runId, verdict);
      const details = { verdict, outcome, ...(note !== undefined && { note }) };
      await postRun?.recordVerdict(run, verdict);
      await options.audit.append({ event: "run_feedback_given", runId, actor: options.username, details });
      return inspect(runId);
    },

    inspect,

    async learnFrom(runId, actor) {
      const storage = await storageOf(runId);
      const run = await storage.store.run(runId);
      if (!postRun) throw new ConflictError("Learning is not available here.");
      return postRun.learn(run, storage, actor);
    },

    async open() {
      await persistent.store.interruptLost();
      if (options.adopt) {
        await expireApprovals();
        await claimQueued(persistent);
      }
    },

    async close(graceMs) {
      clearInterval(expiryTimer);
      await Promise.all([...schedulers.values()].map((scheduler) => scheduler.close(graceMs)));
      // Post-run work may still store and publish events, so it ends before the stores close.
      await Promise.all([postRun?.close(), options.conversationSummaries.close()]);
      for (const { store, feed } of [persistent, ephemeral]) {
        await store.close();
        feed.close();
      }
    },
  };
}

/** How often overdue approvals are expired, in milliseconds. */
const EXPIRY_INTERVAL_MS = 30_000;
/** How many pending approvals one pass checks. */
const MAX_CHECKED = 500;

/** An expired approval, and the events it committed on its run. */
interface Expired {
  approval: Approval;
  committed: Committed;
}

/** Expires every pending approval that is past its time. */
async function expireOverdueApprovals(storage: RunStorage, now: Date): Promise<Expired[]> {
  const { store } = storage;
  const { items } = await store.approvals({ status: "pending", limit: MAX_CHECKED });
  const expiredApprovals: Expired[] = [];
  for (const approval of items.filter((one) => isOverdue(one, now))) {
    const { restored = false } = await store.request(approval.runId);
    const committed = await changeIdleRun(storage, approval.runId, (run) =>
      expired(run, approval, { restored }),
    );
    if (committed && committed.events.length > 0) expiredApprovals.push({ approval, committed });
  }
  return expiredApprovals;
}
