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
import { forgetOldest, inConversation } from "./loop/conversations.ts";
import { createRunDependencies } from "./loop/run-dependencies.ts";
import type { OperatorOptions, StartOptions } from "./operator-options.ts";
import { rememberRun } from "./post-run/remember.ts";
import { effectivePolicy } from "./loop/effective-policy.ts";
import {
  answered,
  cancelled,
  expired,
  isOverdue,
  notAsking,
  notPending,
  resolved,
  resumed,
} from "./loop/run-transitions.ts";

/** Carries out requests. A run goes on when its caller leaves; only `cancel` ends it early. */
export interface Operator {
  /** Commits the run (`queued` or `running`) before it returns. */
  start(request: OperatorRequest, options: StartOptions): Promise<Run>;
  /** Resolves when the run ended, waits for a person, or was interrupted. */
  settled(runId: string, signal?: AbortSignal): Promise<Run>;
  /** Every event after `from`, then live ones, ending after `run-ended`; `answer-delta`s only while live. */
  events(runId: string, options: { from: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  cancel(runId: string): Promise<Run>;
  /** Goes on with an interrupted run. */
  resume(runId: string, options: StartOptions): Promise<Run>;
  /**
   * Starts a new run for the same request that goes on from the steps of one that ended without being answered. Throws
   * `ConflictError` for any other.
   */
  continueRun(runId: string, options: StartOptions): Promise<Run>;
  /** Answers the question a run waits for. */
  answer(runId: string, text: string): Promise<Run>;
  decide(approvalId: string, decision: ApprovalDecision, reason?: string): Promise<Approval>;
  /** Keeps what the person thought of an ended run; the last word counts. Throws `ConflictError` before its end. */
  giveFeedback(runId: string, feedback: Feedback): Promise<Run>;
  /**
   * Learns from a run that ended, because a person asks for it. Throws `ConflictError` for one that goes on, and where
   * functions take no part.
   */
  learnFrom(runId: string, asking: FunctionActor): Promise<Lesson>;
  skills(): readonly SkillCard[];
  /** The ids of those that only steer a run; asking for them describes nothing. */
  steering(): ReadonlySet<string>;
}

/** The operator as whoever opened it has it. */
export interface OperatorService extends Operator {
  /** The run with what its inspector shows. */
  inspect(runId: string): Promise<Run>;
  /** The storage that holds this run; throws `NotFoundError`. */
  storageOf(runId: string): Promise<RunStorage>;
  /** Marks what a dead process left, takes on what was queued. To be called once, before anything else. */
  open(): Promise<void>;
  close(graceMs: number): Promise<void>;
}

/** A person waits at most this long for a run to stop, in milliseconds. */
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

  /** Tells watchers what a person changed, and goes on with the run when it may. */
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

  async function keepAside(run: Run): Promise<void> {
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
      logger.error({ err: error, runId: run.id }, "a cancelled run could not be kept as memories");
    }
  }

  /** Decided it is, whether or not the log can be written. */
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
    for (const { approval, committed } of await expireOverdue(persistent, options.clock())) {
      await auditDecision(approval, "expired", undefined);
      await publish(persistent, committed);
    }
  }

  const lookForOverdue = options.adopt
    ? setInterval(() => {
        expireApprovals().catch((error: unknown) =>
          logger.error({ err: error }, "overdue approvals could not be ended"),
        );
      }, LOOK_FOR_OVERDUE_MS).unref()
    : undefined;

  return {
    skills: () => options.cards,
    steering: () =>
      new Set(options.skills.filter(({ category }) => category === "agent").map(({ id }) => id)),
    storageOf,

    async start(request, { identity, surface, observationMode, direct }) {
      const policy = securityPolicy(identity);
      if (!policy.canUseOperator)
        throw new ForbiddenError("This needs an account that may use the operator.");
      const asked: RunRequest = {
        // Kept with the request, so that a run which goes on elsewhere reads its dates in the same way.
        request: { ...request, ...regionOf(request, await options.settings()) },
        identity,
        surface,
        ...(observationMode && { observationMode }),
        ...(direct && { direct }),
      };
      const storage = policy.canUseSkills ? persistent : ephemeral;
      const run = await storage.store.create(await inConversation(asked, storage, options));
      if (storage === ephemeral) await forgetOldest(ephemeral);
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
        if (ended.events.length > 0 && storage === persistent) await keepAside(ended.run);
        return publish(storage, ended);
      }
      if (schedulers.get(storage)?.stop(runId) !== true) await storage.store.requestCancel(runId);
      const settled = ({ status }: Run) => status === "ended" || status === "interrupted";
      return storage.feed.until(runId, settled, AbortSignal.timeout(CANCEL_WAIT_MS));
    },

    async resume(runId, { identity }) {
      const storage = await storageOf(runId);
      const steered = await changeIdleRun(storage, runId, resumed, identity);
      if (!steered) throw new ConflictError("The run is already being carried out.");
      return publish(storage, steered);
    },

    async continueRun(runId, { identity, surface }) {
      const storage = await storageOf(runId);
      const before = await storage.store.run(runId);
      if (before.status !== "ended" || before.outcome === "answered")
        throw new ConflictError(
          before.status === "ended"
            ? "This run was answered: there is nothing left to continue."
            : "Only a run that has ended can be continued.",
          { context: { status: before.status, outcome: before.outcome ?? null } },
        );
      const { request, observationMode } = await storage.store.request(runId);
      const { background: _background, ...again } = request;
      const run = await storage.store.create({
        request: { ...again, conversationId: before.conversationId },
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
      const steered = await changeIdleRun(storage, runId, (run) => answered(run, text, options.skills));
      if (!steered) throw notAsking();
      return publish(storage, steered);
    },

    async decide(approvalId, decision, reason) {
      await expireApprovals();
      const approval = await persistent.store.approval(approvalId);
      const steered = await changeIdleRun(persistent, approval.runId, (run) =>
        resolved(run, approval, decision, reason),
      );
      if (!steered) throw notPending(approval);
      await auditDecision(approval, decision, reason);
      await publish(persistent, steered);
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
      await postRun?.judged(run, verdict);
      await options.audit.append({ event: "run_feedback_given", runId, actor: options.username, details });
      return inspect(runId);
    },

    inspect,

    async learnFrom(runId, asking) {
      const storage = await storageOf(runId);
      const run = await storage.store.run(runId);
      if (!postRun) throw new ConflictError("Nothing is learned here.");
      return postRun.learn(run, storage, asking);
    },

    async open() {
      await persistent.store.interruptLost();
      if (options.adopt) {
        await expireApprovals();
        await claimQueued(persistent);
      }
    },

    async close(graceMs) {
      clearInterval(lookForOverdue);
      await Promise.all([...schedulers.values()].map((carrier) => carrier.close(graceMs)));
      // What follows a run may still have something to store, and to tell.
      await Promise.all([postRun?.close(), options.conversationSummaries.close()]);
      for (const { store, feed } of [persistent, ephemeral]) {
        await store.close();
        feed.close();
      }
    },
  };
}

/** How often is looked for approvals whose time has passed, in milliseconds. */
const LOOK_FOR_OVERDUE_MS = 30_000;
/** More than this wait for a person in no profile that is still looked after. */
const LOOKED_AT = 500;

/** One approval that nobody decided about in time, and what became of its run. */
interface Expired {
  approval: Approval;
  committed: Committed;
}

/** Ends the waiting of every call whose time for a decision has passed. */
async function expireOverdue(storage: RunStorage, now: Date): Promise<Expired[]> {
  const { store } = storage;
  const { items } = await store.approvals({ status: "pending", limit: LOOKED_AT });
  const found: Expired[] = [];
  for (const approval of items.filter((one) => isOverdue(one, now))) {
    const { restored = false } = await store.request(approval.runId);
    const committed = await changeIdleRun(storage, approval.runId, (run) =>
      expired(run, approval, { restored }),
    );
    if (committed && committed.events.length > 0) found.push({ approval, committed });
  }
  return found;
}
