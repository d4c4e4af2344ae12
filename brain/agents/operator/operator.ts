import type { RunEvent } from "@metahuman/core/contract/event";
import type { Feedback, OperatorRequest } from "@metahuman/core/contract/http";
import { type Region, regionOf } from "@metahuman/core/contract/region";
import type { Observation, Run } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { securityPolicy } from "@metahuman/core/policy/security-policy";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import type { LearningResult } from "../learner/run-learner.ts";
import { type ApprovalDecisions, createApprovalDecisions } from "./approval-decisions.ts";
import type { RunStorage } from "./loop/run-scheduler.ts";
import { createOfferDecisions, type OfferDecisions } from "./offers.ts";
import type { OperatorOptions, StartOptions } from "./operator-options.ts";
import { createPostRun } from "./post-run/post-run.ts";
import { createRunAccess, type RunAccess } from "./run-access.ts";
import { effectivePolicy } from "./loop/effective-policy.ts";
import {
  droppedQuestionWarning,
  isCompleteRequest,
  openQuestions,
  questionAnsweredBy,
  runToContinue,
} from "./loop/conversation-context.ts";
import {
  answerEvents,
  cancelEvents,
  lateAnswerEvents,
  noQuestionError,
  resumeEvents,
} from "./loop/run-transitions.ts";
import { rememberRun } from "./post-run/remember.ts";

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

/** How long `cancel` waits for a run to stop, in milliseconds. */
const CANCEL_WAIT_MS = 5_000;
/** The maximum number of emulation conversations in memory. */
const MAX_EPHEMERAL = 100;

/** The actions of a person on runs. */
interface RunControl {
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

function createRunControl(options: OperatorOptions, access: RunAccess, offers: OfferDecisions): RunControl {
  const { persistent, ephemeral } = options;
  const { storageOf, claimQueued, publish, stop } = access;
  const { rememberCancelledRun, closeQuestions, answer, answerByChoice } = createQuestionControl(
    options,
    access,
  );

  async function continueRun(
    runId: string,
    { identity, surface }: Pick<StartOptions, "identity" | "surface">,
  ): Promise<Run> {
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
  }

  return {
    async start(given, { identity, surface, observationMode, direct, occurrence }) {
      const policy = securityPolicy(identity);
      if (!policy.canUseOperator)
        throw new ForbiddenError("This needs an account that may use the operator.");
      const { conversationId, goal } = given;
      const mayReply = conversationId !== undefined && policy.canUseSkills && identity.role !== "guest";
      const accepted =
        mayReply && !given.follow && !direct && !occurrence
          ? await offers.acceptedBy(goal, conversationId, persistent)
          : undefined;
      const request = accepted === undefined ? given : { ...given, follow: accepted };
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
      const unfinished =
        isTyped && mayReply ? await runToContinue(goal, storage.store, conversationId) : undefined;
      if (unfinished !== undefined) return continueRun(unfinished, { identity, surface });
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

    continueRun,
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
