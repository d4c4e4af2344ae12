import type { Run } from "@metahuman/core/contract/run";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Logger } from "@metahuman/core/log/logger";
import { RENEW_EVERY_MS } from "@metahuman/core/database/lease-table";
import type { RunFeed } from "@metahuman/core/runs/run-feed";
import { RunLostError } from "@metahuman/core/runs/open-run-store";
import type { RunClaim, RunStore, StoredEventBody } from "@metahuman/core/runs/run-store";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { runLoop } from "./run-loop.ts";
import { eventsIn, InterruptedError, type RunDependencies } from "./run-context.ts";

/** Where runs are kept, and who is told about them. */
export interface RunStorage {
  store: RunStore;
  feed: RunFeed;
}

/** What the driver adds to the dependencies of a run. */
export type ClaimedRun = Pick<RunDependencies, "run" | "signal" | "closing"> & { claim: RunClaim };

export interface RunSchedulerOptions extends RunStorage {
  dependencies(run: Run, carried: ClaimedRun): Promise<RunDependencies>;
  maxConcurrent(): number;
  /** True for a process that stays: it takes over queued runs whose process is gone. */
  adopt: boolean;
  logger: Logger;
}

/** Carries out the runs of one store: as many at once as allowed, one event at a time, each stored before it is shown. */
export interface RunScheduler {
  /** Begins every queued run there is room for; resolves once they have begun. */
  claimQueued(): Promise<void>;
  /** Stops a run carried out here; false when it is not. */
  stop(runId: string): boolean;
  /** Takes on nothing more, lets running skills finish up to `graceMs`, interrupts the rest. The store stays open. */
  close(graceMs: number): Promise<void>;
}

interface ActiveRun {
  control: AbortController;
  done: Promise<void>;
}

export function createRunScheduler({
  store,
  feed,
  dependencies,
  maxConcurrent,
  adopt,
  logger,
}: RunSchedulerOptions): RunScheduler {
  const active = new Map<string, ActiveRun>();
  /** Ended here, but the end could not be stored: tried again each time the lease is renewed. */
  const unsettled = new Set<RunClaim>();
  const closing = new AbortController();
  let claiming: Promise<void> = Promise.resolve();
  const beginnings = new Map<string, Promise<void>>();
  let unwatch: (() => void) | undefined;

  const publish = async (claim: RunClaim, bodies: readonly StoredEventBody[]): Promise<Run> => {
    const { events, run } = await store.append(claim, bodies);
    feed.published(events);
    return run;
  };

  async function begin(run: Run, claim: RunClaim): Promise<void> {
    let current = run;
    const control = new AbortController();
    try {
      // The run may have been taken from this process while it stood still: its earlier loop must not act any more.
      const earlier = active.get(run.id);
      earlier?.control.abort(new InterruptedError("The run was claimed anew."));
      await earlier?.done;
      const carried = await dependencies(run, {
        run: () => current,
        signal: control.signal,
        closing: closing.signal,
        claim,
      });
      current = await publish(claim, [beginningOf(run, carried)]);
      const done = drive(carried, claim, (after) => (current = after)).finally(() => leave(run.id, control));
      active.set(run.id, { control, done });
      // Somebody may have asked to stop it while it was about to begin.
      aside(stopAsRequested());
    } catch (error) {
      logger.error({ err: error, runId: run.id }, "a run could not begin");
      await settle(claim, [{ type: "run-ended", outcome: "failed", error: toErrorDetail(error) }], error);
    }
  }

  async function drive(carried: RunDependencies, claim: RunClaim, moved: (run: Run) => void): Promise<void> {
    const { runId: id } = claim;
    try {
      for await (const yielded of runLoop(carried)) {
        moved(await publish(claim, eventsIn(yielded)));
      }
    } catch (error) {
      if (error instanceof RunLostError) {
        logger.warn({ runId: id }, "the run is carried on elsewhere");
        return;
      }
      if (!(error instanceof InterruptedError))
        logger.error({ err: error, runId: id }, "a run was broken off");
      const reason = error instanceof InterruptedError ? error.message : toErrorDetail(error).message;
      await settle(claim, [{ type: "run-interrupted", reason }], error);
    } finally {
      await carried
        .leave()
        .catch((error: unknown) => logger.error({ err: error, runId: id }, "a run could not be dumped"));
    }
  }

  /** Writes a run's last words; when the store takes none, whoever waits is told, and it is tried again later. */
  async function settle(claim: RunClaim, bodies: readonly StoredEventBody[], cause: unknown): Promise<void> {
    try {
      await publish(claim, bodies);
      unsettled.delete(claim);
    } catch (error) {
      if (error instanceof RunLostError) return void unsettled.delete(claim);
      const { runId } = claim;
      logger.error({ err: error, runId }, "the end of a run could not be stored");
      unsettled.add(claim);
      feed.failed(runId, cause);
    }
  }

  function leave(runId: string, control: AbortController): void {
    // A newer claim of the run may be carried out here by now.
    if (active.get(runId)?.control === control) active.delete(runId);
    aside(claimQueued());
  }

  async function claimQueued(): Promise<void> {
    claiming = claiming.catch(() => undefined).then(claimEach);
    await claiming;
    // Also those that another call has claimed: whoever asked wants to know that the run has begun.
    await Promise.all(beginnings.values());
    await watch();
  }

  async function claimEach(): Promise<void> {
    while (!closing.signal.aborted) {
      const next = await store.claim({ maxConcurrent: maxConcurrent(), adopt });
      if (!next) return;
      const { run, claim } = next;
      beginnings.set(
        run.id,
        begin(run, claim).finally(() => beginnings.delete(run.id)),
      );
    }
  }

  /** While runs are in hand, another process may ask to stop one, or make room for one that waits. */
  async function watch(): Promise<void> {
    const isBusy = () => active.size + beginnings.size > 0;
    const queued = isBusy() || (await store.holdsQueued());
    // A run may have begun, or all of them may have been closed, while the store was asked.
    if (!closing.signal.aborted && (queued || isBusy()))
      unwatch ??= feed.onForeignChange(() => aside(look()));
    else stopWatching();
  }

  function stopWatching(): void {
    unwatch?.();
    unwatch = undefined;
  }

  async function look(): Promise<void> {
    await stopAsRequested();
    await claimQueued();
  }

  async function stopAsRequested(): Promise<void> {
    for (const runId of await store.cancelRequests()) stop(runId);
  }

  function stop(runId: string): boolean {
    const carried = active.get(runId);
    carried?.control.abort(new CancelledError("The run was cancelled."));
    return carried !== undefined;
  }

  async function renewLease(): Promise<void> {
    await store.renewLease();
    for (const { events } of await store.interruptLost()) feed.published(events);
    for (const claim of unsettled)
      await settle(claim, [{ type: "run-interrupted", reason: "Its end could not be stored." }], undefined);
    await claimQueued();
  }

  /** For work that nobody waits for. */
  function aside(work: Promise<unknown>): void {
    work.catch((error: unknown) => logger.error({ err: error }, "looking after runs failed"));
  }

  const renewing = setInterval(() => aside(renewLease()), RENEW_EVERY_MS);
  renewing.unref();

  return {
    claimQueued,
    stop,
    async close(graceMs) {
      closing.abort(new InterruptedError("The process was shut down."));
      await claiming.catch(() => undefined);
      // One that does not begin in time stays in the queue.
      await withTimeout(graceMs, Promise.all(beginnings.values()), undefined);
      const all = Promise.all([...active.values()].map((carried) => carried.done)).then(() => true);
      if (!(await withTimeout(graceMs, all, false))) {
        for (const { control } of active.values())
          control.abort(new InterruptedError("The process was shut down while it worked."));
        await all;
      }
      clearInterval(renewing);
      stopWatching();
    },
  };
}

function beginningOf(run: Run, { planner }: RunDependencies): StoredEventBody {
  const { goal, conversationId, agentId } = run;
  if (run.lastSeq === 0) return { type: "run-started", goal, conversationId, agentId, planner: planner.name };
  return { type: "run-resumed", reason: "Its turn has come.", status: "running" };
}
