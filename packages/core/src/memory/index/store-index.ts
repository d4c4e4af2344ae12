import type { StorageIndex } from "../store/record-storage.ts";
import { RELATED_EACH } from "../store/linker.ts";
import type { IndexClient } from "./index-client.ts";
import type { IndexSync } from "./index-sync.ts";
import type { RelatedIds, RelatedQuery } from "./link-table.ts";

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
