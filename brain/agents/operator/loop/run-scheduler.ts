import type { Run } from "@metahuman/core/contract/run";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Logger } from "@metahuman/core/log/logger";
import { RENEW_EVERY_MS } from "@metahuman/core/database/lease-table";
import type { RunFeed } from "@metahuman/core/runs/run-feed";
import {
  RunLostError,
  type RunClaim,
  type RunStore,
  type StoredEventBody,
} from "@metahuman/core/runs/run-store";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { runLoop } from "./run-loop.ts";
import { eventsIn, InterruptedError, type RunDependencies } from "./run-context.ts";

/** The store of runs and the feed of their events. */
export interface RunStorage {
  store: RunStore;
  feed: RunFeed;
}

/** A claimed run with its claim and the signals that stop it. */
export type ClaimedRun = Pick<RunDependencies, "run" | "signal" | "closing"> & { claim: RunClaim };

export interface RunSchedulerOptions extends RunStorage {
  dependencies(run: Run, claimed: ClaimedRun): Promise<RunDependencies>;
  maxConcurrent(): number;
  /** True for a long-lived process: it also claims queued runs of processes that ended. */
  adopt: boolean;
  /** Whether the regular check of leases and queued runs may find anything. */
  mayFindWork(): boolean;
  logger: Logger;
}

/** Executes the runs of one store, at most `maxConcurrent` at a time. Each event is stored before it is published. */
export interface RunScheduler {
  /** Starts queued runs up to the limit; resolves once they have started. */
  claimQueued(): Promise<void>;
  /** Stops a run that this process executes; false when it executes no such run. */
  stop(runId: string): boolean;
  /** Claims no more runs, lets running skills finish for up to `graceMs`, interrupts the rest. The store stays open. */
  close(graceMs: number): Promise<void>;
}

interface ActiveRun {
  control: AbortController;
  done: Promise<void>;
}

/** Stores and publishes the events of claimed runs. */
interface EventWriter {
  write(claim: RunClaim, bodies: readonly StoredEventBody[]): Promise<Run>;
  /** Stores the events that end a run. On failure, watchers receive the cause, and `retryEnds` tries again. */
  writeEnd(claim: RunClaim, bodies: readonly StoredEventBody[], cause: unknown): Promise<void>;
  /** Interrupts the runs whose end could not be stored. */
  retryEnds(): Promise<void>;
}

function createEventCommitter({
  store,
  feed,
  logger,
}: Pick<RunSchedulerOptions, "store" | "feed" | "logger">): EventWriter {
  /** The claims of runs whose end was not stored, with the cause of the end. */
  const unstoredEnds = new Map<RunClaim, unknown>();
  const writer: EventWriter = {
    async write(claim, bodies) {
      const { events, run } = await store.append(claim, bodies);
      feed.publish(events);
      return run;
    },
    async writeEnd(claim, bodies, cause) {
      try {
        await writer.write(claim, bodies);
        unstoredEnds.delete(claim);
      } catch (error) {
        if (error instanceof RunLostError) return void unstoredEnds.delete(claim);
        const { runId } = claim;
        logger.error({ err: error, runId }, "the end of a run could not be stored");
        unstoredEnds.set(claim, cause);
        feed.fail(runId, cause);
      }
    },
    async retryEnds() {
      const reason = "Its end could not be stored.";
      for (const [claim, cause] of unstoredEnds)
        await writer.writeEnd(claim, [{ type: "run-interrupted", reason }], cause);
    },
  };
  return writer;
}

/** Calls `onChange` after changes by other processes while a caller listens. */
function createExternalChanges(feed: RunFeed, onChange: () => void): { listen(isNeeded: boolean): void } {
  let stop: (() => void) | undefined;
  return {
    listen(isNeeded) {
      if (isNeeded) stop ??= feed.onExternalChange(onChange);
      else {
        stop?.();
        stop = undefined;
      }
    },
  };
}

/** Executes a started run until it ends, waits or is interrupted. Never rejects for a failure of the run. */
async function executeRun(
  context: RunDependencies,
  claim: RunClaim,
  { writer, logger, onCommit }: { writer: EventWriter; logger: Logger; onCommit: (run: Run) => void },
): Promise<void> {
  const { runId } = claim;
  try {
    for await (const yielded of runLoop(context)) {
      onCommit(await writer.write(claim, eventsIn(yielded)));
    }
  } catch (error) {
    if (error instanceof RunLostError) {
      logger.warn({ runId }, "another process has taken the run over");
      return;
    }
    if (!(error instanceof InterruptedError))
      logger.error({ err: error, runId }, "a run was interrupted by an error");
    const reason = error instanceof InterruptedError ? error.message : toErrorDetail(error).message;
    await writer.writeEnd(claim, [{ type: "run-interrupted", reason }], error);
  } finally {
    await context
      .onLoopEnd()
      .catch((error: unknown) => logger.error({ err: error, runId }, "a run could not be dumped"));
  }
}

/** The runs that this process executes. */
function createActiveRuns() {
  const active = new Map<string, ActiveRun>();
  return {
    count: (): number => active.size,
    add: (runId: string, run: ActiveRun): void => void active.set(runId, run),
    /** Removes a run, unless this process already executes a newer claim of it. */
    remove(runId: string, control: AbortController): void {
      if (active.get(runId)?.control === control) active.delete(runId);
    },
    /** Interrupts a run and resolves when it has stopped. */
    async interrupt(runId: string, reason: string): Promise<void> {
      const run = active.get(runId);
      run?.control.abort(new InterruptedError(reason));
      await run?.done;
    },
    /** Cancels a run; false when this process executes no such run. */
    cancel(runId: string): boolean {
      const run = active.get(runId);
      run?.control.abort(new CancelledError("The run was cancelled."));
      return run !== undefined;
    },
    /** Lets the runs end for up to `graceMs`, then interrupts the rest. */
    async end(graceMs: number): Promise<void> {
      const all = Promise.all([...active.values()].map(({ done }) => done)).then(() => true);
      if (await withTimeout(graceMs, all, false)) return;
      for (const { control } of active.values())
        control.abort(new InterruptedError("The process was shut down while it worked."));
      await all;
    },
  };
}

export function createRunScheduler({
  store,
  feed,
  dependencies,
  maxConcurrent,
  adopt,
  mayFindWork,
  logger,
}: RunSchedulerOptions): RunScheduler {
  const active = createActiveRuns();
  const writer = createEventCommitter({ store, feed, logger });
  const closing = new AbortController();
  let claiming: Promise<void> = Promise.resolve();
  const starting = new Map<string, Promise<void>>();
  const externalChanges = createExternalChanges(feed, () => runInBackground(pollStore()));

  async function startRun(run: Run, claim: RunClaim): Promise<void> {
    let current = run;
    const control = new AbortController();
    try {
      // The process may have lost and regained the run while it was suspended: its earlier loop must stop first.
      await active.interrupt(run.id, "The run was claimed again.");
      const context = await dependencies(run, {
        run: () => current,
        signal: control.signal,
        closing: closing.signal,
        claim,
      });
      current = await writer.write(claim, [startEvent(run, context)]);
      const onCommit = (after: Run) => (current = after);
      const done = executeRun(context, claim, { writer, logger, onCommit }).finally(() => {
        active.remove(run.id, control);
        runInBackground(claimQueued());
      });
      active.add(run.id, { control, done });
      // A person may have cancelled it while it was starting.
      runInBackground(stopAsRequested());
    } catch (error) {
      logger.error({ err: error, runId: run.id }, "a run could not start");
      await writer.writeEnd(
        claim,
        [{ type: "run-ended", outcome: "failed", error: toErrorDetail(error) }],
        error,
      );
    }
  }

  async function claimQueued(): Promise<void> {
    claiming = claiming.catch(() => undefined).then(claimAll);
    await claiming;
    // Runs that a concurrent call claimed count too: the caller waits for its run to start.
    await Promise.all(starting.values());
    await updateListening();
  }

  async function claimAll(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = await store.claim({ maxConcurrent: maxConcurrent(), adopt });
      if (!next) return;
      const { run, claim } = next;
      starting.set(
        run.id,
        startRun(run, claim).finally(() => starting.delete(run.id)),
      );
    }
  }

  /** Listens to other processes while runs are active or queued: they may cancel a run or free a slot. */
  async function updateListening(): Promise<void> {
    const isBusy = () => active.count() + starting.size > 0;
    const queued = isBusy() || (await store.hasQueuedRuns());
    // A run may have started, or the scheduler may have closed, during the query.
    externalChanges.listen(!closing.signal.aborted && (queued || isBusy()));
  }

  async function pollStore(): Promise<void> {
    await stopAsRequested();
    await claimQueued();
  }

  async function stopAsRequested(): Promise<void> {
    for (const runId of await store.cancelRequests()) active.cancel(runId);
  }

  async function renewLease(): Promise<void> {
    if (active.count() + starting.size === 0 && !mayFindWork()) return;
    await store.renewLease();
    for (const { events } of await store.interruptLost()) feed.publish(events);
    await writer.retryEnds();
    await claimQueued();
  }

  /** Logs the failure of work that no caller awaits. */
  function runInBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => logger.error({ err: error }, "scheduling runs failed"));
  }

  const leaseTimer = setInterval(() => runInBackground(renewLease()), RENEW_EVERY_MS);
  leaseTimer.unref();

  return {
    claimQueued,
    stop: active.cancel,
    async close(graceMs) {
      closing.abort(new InterruptedError("The process was shut down."));
      await claiming.catch(() => undefined);
      // A run that does not start in time stays queued.
      await withTimeout(graceMs, Promise.all(starting.values()), undefined);
      await active.end(graceMs);
      clearInterval(leaseTimer);
      externalChanges.listen(false);
    },
  };
}

function startEvent(run: Run, { planner }: RunDependencies): StoredEventBody {
  const { goal, conversationId, agentId } = run;
  if (run.lastSeq === 0) return { type: "run-started", goal, conversationId, agentId, planner: planner.name };
  return { type: "run-resumed", reason: "A slot is free.", status: "running" };
}
