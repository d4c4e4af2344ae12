import type { Run } from "../contract/run.ts";
import type { RunFeed } from "./run-feed.ts";
import type { Committed, RunRequest, RunStore, StoredEventBody } from "./run-store.ts";

/**
 * Commits the events that `decide` returns for a run that no process executes. Calls `decide` again if the run changed
 * meanwhile; if it throws, nothing is committed. Resolves to undefined while a live holder executes the run. The caller
 * publishes what it committed; this function publishes only an interruption that it discovered.
 */
export async function changeIdleRun(
  { store, feed }: { store: RunStore; feed: RunFeed },
  runId: string,
  decide: (run: Run) => readonly StoredEventBody[] | Promise<readonly StoredEventBody[]>,
  identity?: RunRequest["identity"],
): Promise<Committed | undefined> {
  for (;;) {
    const idle = await store.idleRun(runId);
    if (!idle) return undefined;
    feed.publish(idle.events);
    const bodies = await decide(idle.run);
    const change = { after: idle.run.lastSeq, bodies, ...(identity && { identity }) };
    const committed = await store.commitIdle(runId, change);
    if (committed) return committed;
  }
}
