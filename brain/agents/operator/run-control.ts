import type { OperatorRequest } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import { regionOf } from "@metahuman/core/contract/region";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { securityPolicy } from "@metahuman/core/policy/security-policy";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import { removeOldestConversations, resolveConversation } from "./loop/conversations.ts";
import { effectivePolicy } from "./loop/effective-policy.ts";
import { isCompleteRequest, openQuestions } from "./loop/open-questions.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import { answered, cancelled, noQuestionError, resumed } from "./loop/run-transitions.ts";
import type { OfferDecisions } from "./offers.ts";
import type { OperatorOptions, StartOptions } from "./operator-options.ts";
import { rememberRun } from "./post-run/remember.ts";
import type { RunAccess } from "./run-access.ts";

/** How long `cancel` waits for a run to stop, in milliseconds. */
const CANCEL_WAIT_MS = 5_000;

/** The actions of a person on runs. */
export interface RunControl {
  /** Commits the run (`queued` or `running`) before it returns. */
  start(request: OperatorRequest, options: StartOptions): Promise<Run>;
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
}

export function createRunControl(
  options: OperatorOptions,
  { storageOf, claimQueued, publish, stop }: RunAccess,
  offers: OfferDecisions,
): RunControl {
  const { persistent, ephemeral, logger } = options;

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
        region: regionOf(request),
        skills: options.skills,
      });
    } catch (error) {
      logger.error({ err: error, runId: run.id }, "the memories of a cancelled run could not be stored");
    }
  }

  /** Cancels the runs that wait for an answer in this conversation. */
  async function closeQuestions(storage: RunStorage, conversationId: string): Promise<void> {
    for (const { id } of await openQuestions(storage.store, conversationId)) {
      const ended = await changeIdleRun(storage, id, (run) =>
        run.pending?.kind === "question" ? cancelled(run) : [],
      );
      if (!ended || ended.events.length === 0) continue;
      if (storage === persistent) await rememberCancelledRun(ended.run);
      await publish(storage, ended);
    }
  }

  return {
    async start(request, { identity, surface, observationMode, direct, occurrence }) {
      const policy = securityPolicy(identity);
      if (!policy.canUseOperator)
        throw new ForbiddenError("This needs an account that may use the operator.");
      if (request.follow) {
        if (!policy.canUseSkills) throw new ForbiddenError("This mode executes no actions.");
        await offers.accept(request.follow, request.agentId, identity.username ?? options.username);
      }
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
      if (request.conversationId !== undefined && isCompleteRequest(run, runRequest, options.skills))
        await closeQuestions(storage, run.conversationId);
      if (storage === ephemeral) await removeOldestConversations(ephemeral);
      await claimQueued(storage);
      return storage.store.run(run.id);
    },

    async cancel(runId) {
      const storage = await storageOf(runId);
      const ended = await changeIdleRun(storage, runId, cancelled);
      if (ended) {
        if (ended.events.length > 0 && storage === persistent) await rememberCancelledRun(ended.run);
        return publish(storage, ended);
      }
      if (!stop(storage, runId)) await storage.store.requestCancel(runId);
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
  };
}
