import type { OperatorRequest } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import { regionOf } from "@metahuman/core/contract/region";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { securityPolicy } from "@metahuman/core/policy/security-policy";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import { effectivePolicy } from "./loop/effective-policy.ts";
import {
  droppedQuestionWarning,
  isCompleteRequest,
  openQuestions,
  questionAnsweredBy,
} from "./loop/conversation-context.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import {
  answerEvents,
  lateAnswerEvents,
  cancelEvents,
  noQuestionError,
  resumeEvents,
} from "./loop/run-transitions.ts";
import type { OfferDecisions } from "./offers.ts";
import type { OperatorOptions, StartOptions } from "./operator-options.ts";
import { rememberRun } from "./post-run/remember.ts";
import type { RunAccess } from "./run-access.ts";

/** How long `cancel` waits for a run to stop, in milliseconds. */
const CANCEL_WAIT_MS = 5_000;
/** The maximum number of emulation conversations in memory. */
const MAX_EPHEMERAL = 100;

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

/** Ends, answers and continues runs that wait for the answer to a question. */
function createQuestionControl(
  options: OperatorOptions,
  { storageOf, claimQueued, publish }: Pick<RunAccess, "storageOf" | "claimQueued" | "publish">,
) {
  const { persistent, logger } = options;

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

  /** Cancels the runs that wait for an answer in this conversation. Returns a warning for each. Claims no run. */
  async function closeQuestions(storage: RunStorage, conversationId: string): Promise<string[]> {
    const warnings: string[] = [];
    for (const open of await openQuestions(storage.store, conversationId)) {
      const { id } = open;
      const ended = await changeIdleRun(storage, id, (run) =>
        run.pending?.kind === "question" ? cancelEvents(run) : [],
      );
      if (!ended || ended.events.length === 0) continue;
      if (storage === persistent) await rememberCancelledRun(ended.run);
      storage.feed.publish(ended.events);
      warnings.push(...droppedQuestionWarning(open));
    }
    return warnings;
  }

  async function answer(runId: string, text: string): Promise<Run> {
    const storage = await storageOf(runId);
    const committed = await changeIdleRun(storage, runId, (run) => answerEvents(run, text, options.skills));
    if (!committed) throw noQuestionError();
    return publish(storage, committed);
  }

  /**
   * Takes a request that is a choice of an unanswered question of its conversation as the answer: the run continues, or, if it was
   * stopped, another one does. Resolves to undefined for any other request.
   */
  async function answerByChoice(
    { request, identity, surface }: RunRequest,
    storage: RunStorage,
  ): Promise<Run | undefined> {
    const { conversationId, goal } = request;
    if (conversationId === undefined || identity.role === "guest") return undefined;
    const found = await questionAnsweredBy(goal, storage.store, conversationId);
    if (found === undefined) return undefined;
    if ("open" in found) return answer(found.open, found.answer);
    const { run: before, asked } = found.dropped;
    const { request: first, observationMode } = await storage.store.request(before.id);
    const { background: _background, ...again } = first;
    const run = await storage.store.create({
      request: { ...again, conversationId },
      identity,
      surface,
      continues: before.id,
      ...(observationMode && { observationMode }),
    });
    const events = lateAnswerEvents(asked, found.answer, options.skills);
    const committed = await changeIdleRun(storage, run.id, () => events);
    if (committed) return publish(storage, committed);
    await claimQueued(storage);
    return storage.store.run(run.id);
  }

  return { rememberCancelledRun, closeQuestions, answer, answerByChoice };
}

export function createRunControl(
  options: OperatorOptions,
  access: RunAccess,
  offers: OfferDecisions,
): RunControl {
  const { persistent, ephemeral } = options;
  const { storageOf, claimQueued, publish, stop } = access;
  const { rememberCancelledRun, closeQuestions, answer, answerByChoice } = createQuestionControl(
    options,
    access,
  );

  return {
    async start(request, { identity, surface, observationMode, direct, occurrence }) {
      const policy = securityPolicy(identity);
      if (!policy.canUseOperator)
        throw new ForbiddenError("This needs an account that may use the operator.");
      if (request.follow) {
        if (!policy.canUseSkills)
          throw new ForbiddenError("This mode executes no actions.", {
            suggestions: ["Switch to the mode dual or agent, then try again."],
          });
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
      const isTyped = !request.follow && !direct && !occurrence;
      const continued = isTyped ? await answerByChoice(runRequest, storage) : undefined;
      if (continued) return continued;
      const run = await storage.store.create(await resolveConversation(runRequest, storage, options));
      if (request.conversationId !== undefined && isCompleteRequest(run, runRequest, options.skills)) {
        const warnings = await closeQuestions(storage, run.conversationId);
        if (warnings.length > 0) {
          const events = warnings.map((message) => ({ type: "warning-raised" as const, message }));
          const committed = await changeIdleRun(storage, run.id, () => events);
          storage.feed.publish(committed?.events ?? []);
        }
      }
      if (storage === ephemeral) await removeOldestConversations(ephemeral);
      await claimQueued(storage);
      return storage.store.run(run.id);
    },

    async cancel(runId) {
      const storage = await storageOf(runId);
      const ended = await changeIdleRun(storage, runId, cancelEvents);
      if (ended) {
        if (ended.events.length > 0 && storage === persistent) await rememberCancelledRun(ended.run);
        return publish(storage, ended);
      }
      if (!stop(storage, runId)) await storage.store.requestCancel(runId);
      const isSettled = ({ status }: Run) => status === "ended" || status === "interrupted";
      return storage.feed.until(runId, isSettled, AbortSignal.timeout(CANCEL_WAIT_MS));
    },

    async resume(runId, { identity }) {
      const storage = await storageOf(runId);
      const committed = await changeIdleRun(storage, runId, resumeEvents, identity);
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

    answer,
  };
}

/**
 * Resolves the conversation of a request: an existing one in this storage, one that continues from the other storage, or
 * a new one. Throws `NotFoundError` for an unknown id, and for a guest who asks for a conversation of somebody else.
 */
async function resolveConversation(
  runRequest: RunRequest,
  storage: RunStorage,
  { persistent, ephemeral }: { persistent: RunStorage; ephemeral: RunStorage },
): Promise<RunRequest> {
  const { conversationId, ...request } = runRequest.request;
  if (conversationId === undefined) return runRequest;
  if (runRequest.identity.role === "guest") {
    if (await isOwnedByGuest(conversationId, runRequest.identity.username, storage)) return runRequest;
    throw conversationNotFound();
  }
  if (await storage.store.hasConversation(conversationId)) return runRequest;
  const other = storage === persistent ? ephemeral : persistent;
  if (!(await other.store.hasConversation(conversationId))) throw conversationNotFound();
  // Emulation is never stored, so a conversation that leaves it starts again.
  return storage === persistent ? { ...runRequest, request } : runRequest;
}

/** True when this guest made the conversation's latest request. */
async function isOwnedByGuest(
  conversationId: string,
  username: string | undefined,
  { store }: RunStorage,
): Promise<boolean> {
  const [last] = (await store.runs({ conversationId, limit: 1 })).items;
  if (!last) return false;
  const { identity } = await store.request(last.id);
  return identity.role === "guest" && identity.username === username;
}

function conversationNotFound(): NotFoundError {
  return new NotFoundError("There is no such conversation.");
}

/** Removes the oldest emulation conversations, which only the process's memory holds. */
async function removeOldestConversations({ store }: RunStorage): Promise<void> {
  const { items } = await store.conversations({ limit: MAX_EPHEMERAL + 1 });
  for (const { id } of items.slice(MAX_EPHEMERAL)) {
    const { items: runs } = await store.runs({ conversationId: id, limit: 100 });
    if (runs.every((run) => run.status === "ended")) await store.removeConversation(id);
  }
}
