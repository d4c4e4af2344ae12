import type { StorageIndex } from "../store/record-storage.ts";
import { RELATED_EACH } from "../store/linker.ts";
import type { IndexClient } from "./index-client.ts";
import type { RelatedIds, RelatedQuery } from "./link-table.ts";
import type { Embeddings } from "./embeddings.ts";

/** Files per call, so that searches run in between. */
const RECHECKED_AT_ONCE = 500;

/** Keeps the index in sync with the files in the background. No method rejects. */
export interface IndexSync {
  /** Reconciles all files; `everything` also reads unchanged ones. Joins a reconciliation that already runs. */
  sync(options?: { everything?: boolean }): Promise<void>;
  /** Reads these files again. */
  recheck(paths: readonly string[]): Promise<void>;
  /** Resolves when no reconciliation runs and the texts that it found are scheduled to be embedded. */
  settled(): Promise<void>;
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
    async settled() {
      while (syncing) await syncing;
    },
    close() {
      closed = true;
    },
  };
}

/** Records per call, so that searches run in between. */
const INDEXED_AT_ONCE = 500;

/** The index for a storage of memories. A failure never fails a write: the records are authoritative and the index catches up. */
export interface StoreIndex extends StorageIndex {
  /** Memories of the same runs, conversations and entities; none while the index is unavailable. */
  related(query: RelatedQuery): Promise<RelatedIds>;
}

export function createStoreIndex({
  client,
  indexSync,
  scheduleEmbedding,
  onWarning,
}: {
  client: IndexClient;
  indexSync: IndexSync;
  /** Embeds texts that may be pending. */
  scheduleEmbedding: () => void;
  onWarning: (message: string, cause?: unknown) => void;
}): StoreIndex {
  return {
    recheck: (paths) => indexSync.recheck(paths),
    sync: () => indexSync.sync(),
    locate: (id) => client.call("locate", id).catch(() => null),
    async put(filed) {
      try {
        for (let start = 0; start < filed.length; start += INDEXED_AT_ONCE) {
          const batch = filed.slice(start, start + INDEXED_AT_ONCE);
          await client.call(
            "putRecords",
            batch.map(({ record, path, hash }) => ({ record, path, hash })),
          );
        }
        scheduleEmbedding();
      } catch (error) {
        onWarning("A memory was written but not indexed yet.", error);
      }
    },
    async remove(id) {
      await client
        .call("removeEntries", [id])
        .catch((error: unknown) => onWarning("A memory was archived but is still in the index.", error));
    },
    async related(query) {
      try {
        return await client.call("related", { ...query, limit: RELATED_EACH });
      } catch (error) {
        onWarning("A new memory could not be linked with others.", error);
        return { runs: {}, conversations: {}, entities: {} };
      }
    },
  };
}
