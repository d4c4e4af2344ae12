import type { MemoryStoreParts } from "../store/memory-store.ts";
import { RELATED_EACH } from "../store/linker.ts";
import type { IndexClient } from "./index-client.ts";

/** Searches get their turn between so many. */
const INDEXED_AT_ONCE = 200;

/** The index as the store uses it: never a reason for a write to fail, the files are the truth and the index catches up. */
export function createStoreIndex({
  client,
  wake,
  onWarning,
}: {
  client: IndexClient;
  /** Something may wait to be embedded. */
  wake: () => void;
  onWarning: (message: string, cause?: unknown) => void;
}): MemoryStoreParts["index"] {
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
        wake();
      } catch (error) {
        onWarning("A memory was written but not indexed yet.", error);
      }
    },
    async remove(id) {
      await client
        .call("removeEntries", [id])
        .catch((error: unknown) => onWarning("A memory was archived but is still in the index.", error));
    },
    async kin(query) {
      try {
        return await client.call("kin", { ...query, limit: RELATED_EACH });
      } catch (error) {
        onWarning("A new memory could not be linked with others.", error);
        return { runs: {}, conversations: {}, entities: {} };
      }
    },
  };
}
