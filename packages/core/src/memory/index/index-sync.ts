import type { Embeddings } from "./embeddings.ts";
import type { IndexClient } from "./index-client.ts";

/** Files looked at in one turn; searches get theirs in between. */
const RECHECKED_AT_ONCE = 500;

/** Keeps the index in agreement with the files, in the background: nothing here ever rejects. */
export interface IndexSync {
  /** Looks at all files, those that did not change as well when asked for `everything`. One under way stands for the next. */
  agree(options?: { everything?: boolean }): Promise<void>;
  /** Looks at these files again. */
  recheck(paths: readonly string[]): Promise<void>;
  /** What fails from now on is not told any more. */
  close(): void;
}

export function createIndexSync({
  client,
  embeddings,
  onWarning,
}: {
  client: IndexClient;
  embeddings: Pick<Embeddings, "wake">;
  onWarning: (message: string, cause?: unknown) => void;
}): IndexSync {
  let agreeing: Promise<void> | undefined;
  let closed = false;

  function failed(message: string, error: unknown): void {
    if (!closed) onWarning(message, error);
  }

  return {
    agree({ everything = false } = {}) {
      if (agreeing && !everything) return agreeing;
      const done = client
        .call("reconcile", { everything })
        .then(
          () => embeddings.wake(),
          (error: unknown) => failed("The memory index does not agree with the files yet.", error),
        )
        .finally(() => {
          if (agreeing === done) agreeing = undefined;
        });
      agreeing = done;
      return done;
    },
    async recheck(paths) {
      try {
        for (let next = 0; next < paths.length; next += RECHECKED_AT_ONCE)
          await client.call("recheck", paths.slice(next, next + RECHECKED_AT_ONCE));
        embeddings.wake();
      } catch (error) {
        failed("Changed memories could not be indexed yet.", error);
      }
    },
    close() {
      closed = true;
    },
  };
}
