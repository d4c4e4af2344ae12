import type { RunEvent, StateBefore } from "@metahuman/core/contract/event";
import { regionOf } from "@metahuman/core/contract/region";
import type { Feedback } from "@metahuman/core/contract/http";
import type { Run, RunOutcome, Usage } from "@metahuman/core/contract/run";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { RunRequest, StoredEventBody } from "@metahuman/core/runs/run-store";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { fixtureOf } from "../tools/state-before.ts";
import type { EndedRun, LearningResult, RunInBackground, RunLearner } from "../../learner/run-learner.ts";
import type { RunStorage } from "../loop/run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { beginsConversation, earlierRuns } from "../loop/conversation-context.ts";
import { effectivePolicy } from "../loop/effective-policy.ts";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import {
  keyTag,
  type PatternFacts,
  patternFacts,
  isSameHabit,
  patternOffer,
} from "@metahuman/core/memory/patterns/pattern-memory";
import { fitsTemplate } from "@metahuman/core/memory/patterns/template";

/** How long the end of a run waits for learning, in milliseconds; later results are published after the end. */
const WAIT_MS = 2_000;
/** A person's verdict counts as this many uses. */
const VERDICT_WEIGHT = 2;
const MAX_EVENTS = 10_000;
/** The turns before a run that its values may come from. */
const MAX_EARLIER_TURNS = 40;

type PostRunOptions = Pick<
  OperatorOptions,
  "services" | "skills" | "settings" | "memory" | "config" | "logger"
>;

export interface PostRun {
  recordResults(ending: {
    run: Run;
    outcome: RunOutcome;
    /** The answer's text, which is committed together with the end. */
    answer: string | undefined;
    usage: Usage;
    request: RunRequest;
    planner: Planner;
    storage: RunStorage;
  }): Promise<StoredEventBody[]>;
  /** Learns from an ended run on a person's request. */
  learn(run: Run, storage: RunStorage, actor: FunctionActor): Promise<LearningResult>;
  /** Counts a person's verdict for the functions that the run followed, with more weight than the run's outcome. */
  recordVerdict(run: Run, verdict: Feedback["verdict"]): Promise<void>;
  /** Aborts model calls and resolves when all work is done. */
  close(): Promise<void>;
}

/** Records function results and learns when runs end, without delaying the answer. */
export function createPostRun(options: PostRunOptions, learner: RunLearner): PostRun {
  const closing = new AbortController();
  const pending = new Set<Promise<unknown>>();

  function trackWork(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) =>
        options.logger.error({ err: error }, "the function results of a run could not be recorded"),
      )
      .finally(() => pending.delete(done));
    pending.add(done);
  }

  /** Resolves to true once the run has ended, to false when the operator closes first. */
  async function waitForEnd(runId: string, { store, feed }: RunStorage): Promise<boolean> {
    const isEnded = ({ status }: Run): boolean => status === "ended";
    if (isEnded(await store.run(runId))) return true;
    try {
      return isEnded(await feed.until(runId, isEnded, closing.signal));
    } catch (error) {
      if (closing.signal.aborted) return false;
      throw error;
    }
  }

  /** Publishes events that are ready only after the run has ended. */
  async function publishAfterEnd(
    work: Promise<StoredEventBody[]>,
    runId: string,
    storage: RunStorage,
  ): Promise<void> {
    const bodies = await work;
    if (bodies.length === 0 || !(await waitForEnd(runId, storage))) return;
    const committed = await changeIdleRun(storage, runId, () => bodies);
    if (committed) storage.feed.publish(committed.events);
  }

  const runInBackground: RunInBackground = (work) => trackWork(work(closing.signal));

  return {
    async learn(run, storage, actor) {
      if (run.outcome === undefined) throw new ConflictError("The run has not ended yet.");
      if (!options.config.current().runtime.operator.useFunctions)
        throw new ConflictError("Functions are switched off.", {
          suggestions: ["An owner can set operator.useFunctions in etc/runtime.json."],
        });
      const { identity } = await storage.store.request(run.id);
      const replayed =
        run.planner === "replay" ? run.functionsUsed.find(({ followed }) => followed) : undefined;
      const ended = await loadEndedRun(
        { run, storage, identity },
        {
          outcome: run.outcome,
          answer: run.result,
          usage: run.usage,
          ...(replayed && { replay: { id: replayed.id, values: {} } }),
        },
        options,
      );
      const outcome = await learner.learn(ended, actor, runInBackground);
      if (outcome.kind === "new") {
        const { id, title } = outcome;
        const learned = { type: "function-learned" as const, function: { id, title } };
        await publishAfterEnd(Promise.resolve([learned]), run.id, storage);
      }
      return outcome;
    },
    async recordResults({ run, outcome, answer, usage, request, planner, storage }) {
      const { matched, deviation } = planner;
      const ended = await loadEndedRun(
        { run, storage, identity: request.identity },
        {
          outcome,
          answer,
          usage,
          ...(matched && {
            replay: {
              id: matched.id,
              values: matched.values,
              isUnacceptedChange: matched.isUnacceptedChange ?? false,
              ...(deviation !== undefined && { deviation }),
            },
          }),
        },
        options,
      );
      const work = learner.recordResults(ended, runInBackground);
      const bodies = await withTimeout(WAIT_MS, work, undefined);
      if (bodies === undefined) trackWork(publishAfterEnd(work, run.id, storage));
      return bodies ?? [];
    },
    async recordVerdict({ id, agentId, functionsUsed }, verdict) {
      if (!options.config.current().runtime.operator.useFunctions) return;
      for (const use of functionsUsed.filter(({ followed }) => followed)) {
        try {
          await options.services.functionsOf(agentId).recordFunctionUse({
            functionId: use.id,
            runId: id,
            outcome: verdict === "useful" ? "succeeded" : "failed",
            weight: VERDICT_WEIGHT,
            ...(verdict === "not_useful" && { error: "A person found the answer not useful." }),
          });
        } catch (error) {
          // The function may have been deleted meanwhile.
          if (!(error instanceof FunctionNotFoundError)) throw error;
        }
      }
    },
    async close() {
      closing.abort();
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Loads an ended run with the data for learning from it. */
async function loadEndedRun(
  { run, storage, identity }: { run: Run; storage: RunStorage; identity: RunRequest["identity"] },
  result: Pick<EndedRun, "outcome" | "answer" | "usage" | "replay">,
  options: PostRunOptions,
): Promise<EndedRun> {
  const { mode, trustLevel } = effectivePolicy(identity, await options.settings());
  const runRequest = await storage.store.request(run.id);
  const { request, direct, occurrence } = runRequest;
  return {
    run,
    ...result,
    role: identity.role,
    mode,
    trustLevel,
    config: options.config.current().operator.functions,
    skills: options.skills,
    functions: options.services.functionsOf(run.agentId),
    fixture: async () => {
      const fixture = await fixtureOf(run, await statesBefore(run.id, storage), options.memory);
      return fixture && { ...fixture, ...regionOf(request) };
    },
    isDirect: direct !== undefined,
    isScheduled: occurrence !== undefined,
    earlierTexts: async () => {
      const { turns } = await storage.store.turns(run.conversationId, {
        limit: MAX_EARLIER_TURNS,
        beforeRun: run.id,
      });
      return turns.map(({ text }) => text);
    },
    earlierRuns: async () => (beginsConversation(runRequest) ? [] : earlierRuns(run, storage.store)),
    earlierRun: async (id) =>
      (await storage.store.hasRun(id))
        ? {
            run: await storage.store.run(id),
            timeZone: regionOf((await storage.store.request(id)).request).timeZone,
          }
        : undefined,
    usedFallback: async () => usedFallback(await storage.store.events(run.id, 0, MAX_EVENTS)),
    timeZone: regionOf(request).timeZone,
  };
}

/** True when the built-in planner replaced a model planner during the run. */
function usedFallback(events: readonly RunEvent[]): boolean {
  const planners = events.flatMap((event) =>
    event.type === "run-started" || event.type === "step-planned" ? [event.planner] : [],
  );
  const [first, ...later] = planners;
  return (first === "structured" || first === "tool-calling") && later.includes("built-in");
}

async function statesBefore(runId: string, { store }: RunStorage): Promise<StateBefore[]> {
  const events = await store.events(runId, 0, MAX_EVENTS);
  return events.flatMap((event) => (event.type === "action-started" && event.before ? [event.before] : []));
}

/** Patterns to look at for one request. */
const MAX_PATTERNS = 5;

/**
 * The request that makes a function of the pattern that an answered run repeats, to be suggested with the answer.
 * Undefined if there is no such pattern, if it was offered before, also in other words, or if a function does it
 * already. Each pattern is offered once.
 */
export async function offerPattern(
  { goal, context, planner, functionsUsed }: Run,
  memory: Pick<MemoryPort, "recall" | "edit">,
  functions: Pick<FunctionsPort, "listFunctions">,
  now: Date,
): Promise<string | undefined> {
  // The context of the run names the patterns that fit, so that most runs need no search here.
  if ((context?.patterns ?? []).length === 0 || planner === "replay") return undefined;
  if (functionsUsed.some(({ followed }) => followed)) return undefined;
  const found = await memory.recall({ query: goal, types: ["pattern"], limit: MAX_PATTERNS });
  const offered = found.flatMap(({ memory: record }) => {
    const facts = patternFacts(record);
    return facts?.offeredAt === undefined ? [] : [facts];
  });
  for (const { memory: record } of found) {
    const facts = patternFacts(record);
    if (!facts || facts.kind !== "request" || facts.skills.length === 0 || facts.offeredAt !== undefined)
      continue;
    if (offered.some((other) => isSameHabit(other, facts))) continue;
    if (record.trust === "untrusted" || !fitsTemplate(facts.template, goal)) continue;
    if (await isKnown(facts, functions)) continue;
    const pattern = { ...facts, offeredAt: now.toISOString() };
    await memory.edit(record.id, { metadata: { ...record.metadata, pattern } });
    return patternOffer(facts);
  }
  return undefined;
}

/** The maximum number of functions with the skills of a pattern that are searched for its requests. */
const MAX_FUNCTIONS = 50;

/** True if a function was made of the pattern, or if one was learned from a request that it counts. */
async function isKnown(
  { key, skills, examples }: PatternFacts,
  functions: Pick<FunctionsPort, "listFunctions">,
): Promise<boolean> {
  const tagged = await functions.listFunctions({ tag: keyTag(key), limit: 1 });
  if (tagged.items.length > 0) return true;
  const requests = new Set(examples.map(({ request }) => request));
  const { items } = await functions.listFunctions({ skills: [...new Set(skills)], limit: MAX_FUNCTIONS });
  return items.some((one) => one.examples.some(({ prompt }) => requests.has(prompt)));
}
