import type { RunEvent, StateBefore } from "@metahuman/core/contract/event";
import { regionOf } from "@metahuman/core/contract/region";
import type { Feedback } from "@metahuman/core/contract/http";
import type { Run, RunOutcome, Usage } from "@metahuman/core/contract/run";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import { changeIdleRun } from "@metahuman/core/runs/change-idle-run";
import type { RunRequest, StoredEventBody } from "@metahuman/core/runs/run-store";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { fixtureOf } from "../tools/state-before.ts";
import type { EndedRun } from "../../learner/ended-run.ts";
import type { Lesson } from "../../learner/learn.ts";
import type { RunStorage } from "../loop/run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { effectivePolicy } from "../loop/effective-policy.ts";

/** Does what need not be waited for; the signal aborts when the operator closes. */
export type Later = (work: (signal: AbortSignal) => Promise<void>) => void;

/** What is made of a run's end for the functions: events for the run, best before it is closed. */
export interface FunctionsAfter {
  /** Never rejects for what is only about learning; `later` does what need not be waited for. */
  settle(ended: EndedRun, later: Later): Promise<StoredEventBody[]>;
  /** Learns because a person asks for it; rejects where it cannot be stored. */
  learn(ended: EndedRun, asking: FunctionActor, later: Later): Promise<Lesson>;
}

/** How long a run's end waits for what is learned from it, in milliseconds; after that it follows the run. */
const WAIT_MS = 2_000;
/** How many uses a person's verdict counts for. */
const VERDICT_WEIGHT = 2;
const MOST_EVENTS = 10_000;

export interface PostRun {
  settle(ending: {
    run: Run;
    outcome: RunOutcome;
    /** The answer's text, which is committed together with the end. */
    answer: string | undefined;
    usage: Usage;
    request: RunRequest;
    planner: Planner;
    storage: RunStorage;
  }): Promise<StoredEventBody[]>;
  /** Learns from a run that ended earlier, because a person asks for it. */
  learn(run: Run, storage: RunStorage, asking: FunctionActor): Promise<Lesson>;
  /** A person's verdict on an answer counts for the functions that the run followed, more than its own outcome does. */
  judged(run: Run, verdict: Feedback["verdict"]): Promise<void>;
  /** Resolves when everything that was begun is done; what asks a model is given up. */
  close(): Promise<void>;
}

/** Sees to credit and learning at the end of runs, off the path of whoever waits for the answer. */
export function createPostRun(
  options: Pick<OperatorOptions, "functionsOf" | "skills" | "settings" | "memory" | "config" | "logger">,
  learner: FunctionsAfter,
): PostRun {
  const closing = new AbortController();
  const pending = new Set<Promise<unknown>>();

  function aside(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => options.logger.error({ err: error }, "functions could not be looked after"))
      .finally(() => pending.delete(done));
    pending.add(done);
  }

  /** Resolves once the run has ended; false when this is closed before it did. */
  async function hasEnded(runId: string, { store, feed }: RunStorage): Promise<boolean> {
    const isEnded = ({ status }: Run): boolean => status === "ended";
    if (isEnded(await store.run(runId))) return true;
    try {
      return isEnded(await feed.until(runId, isEnded, closing.signal));
    } catch (error) {
      if (closing.signal.aborted) return false;
      throw error;
    }
  }

  /** What a run is told after its end. */
  async function tellLate(
    work: Promise<StoredEventBody[]>,
    runId: string,
    storage: RunStorage,
  ): Promise<void> {
    const bodies = await work;
    if (bodies.length === 0 || !(await hasEnded(runId, storage))) return;
    const told = await changeIdleRun(storage, runId, () => bodies);
    if (told) storage.feed.published(told.events);
  }

  const later: Later = (work) => aside(work(closing.signal));

  async function endedRun(
    { run, storage, identity }: { run: Run; storage: RunStorage; identity: RunRequest["identity"] },
    how: Pick<EndedRun, "outcome" | "answer" | "usage" | "replay">,
  ): Promise<EndedRun> {
    const { mode, trustLevel } = effectivePolicy(identity, await options.settings());
    const { request, direct } = await storage.store.request(run.id);
    return {
      run,
      ...how,
      role: identity.role,
      mode,
      trustLevel,
      config: options.config.current().operator.functions,
      skills: options.skills,
      functions: options.functionsOf(run.agentId),
      fixture: async () => {
        const fixture = await fixtureOf(run, await statesBefore(run.id, storage), options.memory);
        return fixture && { ...fixture, ...regionOf(request) };
      },
      isDirect: direct !== undefined,
      fellBack: async () => fellBack(await storage.store.events(run.id, 0, MOST_EVENTS)),
      timeZone: regionOf(request).timeZone,
    };
  }

  return {
    async learn(run, storage, asking) {
      if (run.outcome === undefined) throw new ConflictError("The run has not ended yet.");
      if (!options.config.current().runtime.operator.useFunctions)
        throw new ConflictError("Functions are switched off.");
      const { identity } = await storage.store.request(run.id);
      const replayed =
        run.planner === "replay" ? run.functionsUsed.find(({ followed }) => followed) : undefined;
      const ended = await endedRun(
        { run, storage, identity },
        {
          outcome: run.outcome,
          answer: run.result,
          usage: run.usage,
          ...(replayed && { replay: { id: replayed.id, values: {} } }),
        },
      );
      const lesson = await learner.learn(ended, asking, later);
      if (lesson.kind === "new") {
        const { id, title } = lesson;
        const learned = { type: "function-learned" as const, function: { id, title } };
        await tellLate(Promise.resolve([learned]), run.id, storage);
      }
      return lesson;
    },
    async settle({ run, outcome, answer, usage, request, planner, storage }) {
      const { matched, deviation } = planner;
      const ended = await endedRun(
        { run, storage, identity: request.identity },
        {
          outcome,
          answer,
          usage,
          ...(matched && {
            replay: { id: matched.id, values: matched.values, ...(deviation !== undefined && { deviation }) },
          }),
        },
      );
      const work = learner.settle(ended, later);
      const bodies = await withTimeout(WAIT_MS, work, undefined);
      if (bodies === undefined) aside(tellLate(work, run.id, storage));
      return bodies ?? [];
    },
    async judged({ id, agentId, functionsUsed }, verdict) {
      if (!options.config.current().runtime.operator.useFunctions) return;
      for (const use of functionsUsed.filter(({ followed }) => followed)) {
        try {
          await options.functionsOf(agentId).recordFunctionUse({
            functionId: use.id,
            runId: id,
            outcome: verdict === "useful" ? "succeeded" : "failed",
            weight: VERDICT_WEIGHT,
            ...(verdict === "not_useful" && { error: "A person found the answer not useful." }),
          });
        } catch (error) {
          // A function that was deleted meanwhile has no record to be kept.
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

/** True when a model was to plan the run and the built-in planner had to. */
function fellBack(events: readonly RunEvent[]): boolean {
  const planners = events.flatMap((event) =>
    event.type === "run-started" || event.type === "step-planned" ? [event.planner] : [],
  );
  const [first, ...later] = planners;
  return (first === "structured" || first === "tool-calling") && later.includes("built-in");
}

async function statesBefore(runId: string, { store }: RunStorage): Promise<StateBefore[]> {
  const events = await store.events(runId, 0, MOST_EVENTS);
  return events.flatMap((event) => (event.type === "action-started" && event.before ? [event.before] : []));
}
