import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEnd, AgentStore } from "@metahuman/core/agents/open-agent-store";
import type { AgentRun } from "@metahuman/core/contract/agents";
import { CancelledError } from "@metahuman/core/errors/run-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { AgentReport, BackgroundAgent } from "./background-agent.ts";

/**
 * How often a run renews its lease and checks whether another process requests its stop, in milliseconds. Each time costs a
 * transaction.
 */
const LEASE_RENEWAL_MS = 1_000;
/** How long an agent may take to stop, in milliseconds; after that, its run counts as stopped. */
const STOP_GRACE_MS = 600;

export interface ActiveAgentRun {
  /** The ended run, and whether it changed anything. Does not reject for errors of the agent. */
  ended: Promise<{ run: AgentRun; changed: boolean }>;
  /** Resolves when the agent's own work has ended, possibly after `ended`. */
  workEnded: Promise<void>;
  stop(reason: string): void;
}

export function executeAgentRun(
  agent: BackgroundAgent,
  { id }: AgentRun,
  {
    store,
    clock,
    onProblem,
  }: { store: AgentStore; clock: () => Date; onProblem: (message: string, cause: unknown) => void },
): ActiveAgentRun {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (reason: string) => controller.abort(new CancelledError(reason));
  const timer = setInterval(() => {
    store.renewLease(id).then(
      (wanted) => wanted && stop("A person stopped it."),
      (error: unknown) => onProblem("the lease of an agent's run could not be renewed", error),
    );
  }, LEASE_RENEWAL_MS);

  const work = Promise.resolve().then(() =>
    agent.work({
      signal,
      now: clock(),
      log: async (message, level = "info") => {
        if (!signal.aborted) await store.note(id, level, message);
      },
      memo: {
        read: () => store.memo(agent.name),
        save: async (memo) => {
          signal.throwIfAborted();
          await store.saveMemo(id, memo);
        },
      },
    }),
  );
  // Waiting for an agent that does not stop must not keep the process alive.
  const stopped = once(signal, "abort")
    .then(() => delay(STOP_GRACE_MS, undefined, { ref: false }))
    .then((): never => {
      throw signal.reason;
    });

  async function finish(end: AgentEnd, changed: boolean): Promise<{ run: AgentRun; changed: boolean }> {
    clearInterval(timer);
    return { run: await store.end(id, end), changed };
  }

  const ended = Promise.race([work, stopped]).then(
    ({ summary, changed, problems }: AgentReport) =>
      finish({ status: "finished", summary, ...(problems && { problems }) }, changed),
    (error: unknown) => {
      if (signal.aborted) return finish({ status: "stopped", summary: reasonOf(signal.reason) }, true);
      onProblem(`the ${agent.name} failed`, error);
      return finish({ status: "failed", summary: toErrorDetail(error).message }, true);
    },
  );
  const workEnded = work.then(
    () => undefined,
    () => undefined,
  );
  return { ended, workEnded, stop };
}

function reasonOf(reason: unknown): string {
  return reason instanceof CancelledError ? reason.message : "It was stopped.";
}
