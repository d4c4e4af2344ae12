import type { Run } from "@metahuman/core/contract/run";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { Committed } from "@metahuman/core/runs/run-store";
import { createRunDependencies } from "./loop/run-dependencies.ts";
import { createRunScheduler, type RunScheduler, type RunStorage } from "./loop/run-scheduler.ts";
import type { OperatorOptions } from "./operator-options.ts";
import type { PostRun } from "./post-run/post-run.ts";

/** The stored runs of a profile and the schedulers that execute them. */
export interface RunAccess {
  /** The storage that holds this run; throws `NotFoundError`. */
  storageOf(runId: string): Promise<RunStorage>;
  /** Starts queued runs of a storage as far as there is room. */
  claimQueued(storage: RunStorage): Promise<void>;
  /** Publishes the events of a person's change, and claims the run when it is queued again. */
  publish(storage: RunStorage, committed: Committed): Promise<Run>;
  /** Stops a run that this process executes; false when it executes no such run. */
  stop(storage: RunStorage, runId: string): boolean;
  /** The run with its model calls and feedback. */
  inspect(runId: string): Promise<Run>;
  /** Waits up to `graceMs` for running skills, then interrupts them. */
  closeSchedulers(graceMs: number): Promise<void>;
}

export function createRunAccess(options: OperatorOptions, postRun: PostRun | undefined): RunAccess {
  const { persistent, ephemeral, logger } = options;
  const schedulers = new Map<RunStorage, RunScheduler>(
    [persistent, ephemeral].map((storage) => [storage, schedulerOf(storage)]),
  );

  function schedulerOf(storage: RunStorage): RunScheduler {
    return createRunScheduler({
      ...storage,
      dependencies: (run, claimed) => createRunDependencies(run, claimed, storage, options, postRun),
      maxConcurrent: () => options.config.current().operator.runs.maxConcurrent,
      adopt: options.adopt,
      mayFindWork: (storage === persistent ? options.mayHoldWaitingRuns : undefined) ?? (() => true),
      logger,
    });
  }

  async function storageOf(runId: string): Promise<RunStorage> {
    for (const storage of [ephemeral, persistent]) if (await storage.store.hasRun(runId)) return storage;
    throw new NotFoundError("There is no such run.");
  }

  const claimQueued = async (storage: RunStorage) => schedulers.get(storage)?.claimQueued();

  return {
    storageOf,
    claimQueued,
    stop: (storage, runId) => schedulers.get(storage)?.stop(runId) === true,
    async publish(storage, { events, run }) {
      storage.feed.publish(events);
      await claimQueued(storage);
      return storage.store.run(run.id);
    },
    async inspect(runId) {
      const { store } = await storageOf(runId);
      const [run, modelCalls, feedback] = await Promise.all([
        store.run(runId),
        store.modelCalls(runId),
        store.feedback(runId),
      ]);
      return { ...run, modelCalls, ...(feedback && { feedback }) };
    },
    async closeSchedulers(graceMs) {
      await Promise.all([...schedulers.values()].map((scheduler) => scheduler.close(graceMs)));
    },
  };
}
