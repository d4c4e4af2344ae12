import type { MemoryStoreDependencies } from "../store/memory-store.ts";
import { RELATED_EACH } from "../store/linker.ts";
import type { IndexClient } from "./index-client.ts";

/** Records per call, so that searches run in between. */
const INDEXED_AT_ONCE = 200;

/** The index for the memory store. A failure never fails a write: the files are authoritative and the index catches up. */
export function createStoreIndex({
  client,
  schedule,
  onWarning,
}: {
  client: IndexClient;
  /** Embeds texts that may be pending. */
  schedule: () => void;
  onWarning: (message: string, cause?: unknown) => void;
}): MemoryStoreDependencies["index"] {
  return {
    async put(filed) {
      try {
        for (let next = 0; next < filed.length; next += INDEXED_AT_ONCE) {
          const some = filed.slice(next, next + INDEXED_AT_ONCE);
          await client.call(
            "putRecords",
            some.map(({ record, path, hash }) => ({ record, path, hash })),
          );
        }
        schedule();
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
