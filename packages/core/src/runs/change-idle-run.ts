import type { Run } from "../contract/run.ts";
import type { RunFeed } from "./run-feed.ts";
import type { Committed, RunRequest, RunStore, StoredEventBody } from "./run-store.ts";

/**
 * Commits the events that `decide` returns for a run that nobody carries out. `decide` is called again when the run
 * changed meanwhile; when it throws, nothing is committed. Resolves to undefined while a live holder carries the run out.
 * What the caller commits is the caller's to publish; an interruption found on the way is published here.
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
    feed.published(idle.events);
    const bodies = await decide(idle.run);
    const change = { after: idle.run.lastSeq, bodies, ...(identity && { identity }) };
    const committed = await store.commitIdle(runId, change);
    if (committed) return committed;
  }
}
