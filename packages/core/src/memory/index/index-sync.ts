import type { Embeddings } from "./embeddings.ts";
import type { IndexClient } from "./index-client.ts";

/** Files per call, so that searches run in between. */
const RECHECKED_AT_ONCE = 500;

/** Keeps the index in sync with the files in the background. No method rejects. */
export interface IndexSync {
  /** Reconciles all files; `everything` also reads unchanged ones. Joins a reconciliation that already runs. */
  sync(options?: { everything?: boolean }): Promise<void>;
  /** Reads these files again. */
  recheck(paths: readonly string[]): Promise<void>;
  /** Stops reporting failures. */
  close(): void;
}

export function createIndexSync({
  client,
  embeddings,
  onWarning,
}: {
  client: IndexClient;
  embeddings: Pick<Embeddings, "schedule">;
  onWarning: (message: string, cause?: unknown) => void;
}): IndexSync {
  let syncing: Promise<void> | undefined;
  let closed = false;

  function warn(message: string, error: unknown): void {
    if (!closed) onWarning(message, error);
  }

  return {
    sync({ everything = false } = {}) {
      if (syncing && !everything) return syncing;
      const done = client
        .call("reconcile", { everything })
        .then(
          () => embeddings.schedule(),
          (error: unknown) => warn("The memory index is not up to date with the files yet.", error),
        )
        .finally(() => {
          if (syncing === done) syncing = undefined;
        });
      syncing = done;
      return done;
    },
    async recheck(paths) {
      try {
        for (let next = 0; next < paths.length; next += RECHECKED_AT_ONCE)
          await client.call("recheck", paths.slice(next, next + RECHECKED_AT_ONCE));
        embeddings.schedule();
      } catch (error) {
        warn("Changed memories could not be indexed yet.", error);
      }
    },
    close() {
      closed = true;
    },
  };
}
