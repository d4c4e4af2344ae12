import type { ArchiveEntry } from "../../contract/http.ts";
import type { MemoryPort } from "../memory-port.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";

const PAGE_SIZE = 100;

/** Archives every memory that matches a filter, page by page. Does not count memories that another call archived. */
export function createForgetAll({
  list,
  archive,
}: {
  list: MemoryPort["list"];
  archive: (id: string) => Promise<ArchiveEntry>;
}): MemoryPort["forgetAll"] {
  return async (filter, signal) => {
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ ...filter, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) });
      for (const { id } of page.items) {
        signal?.throwIfAborted();
        if (await archiveIfPresent(archive, id)) count += 1;
      }
      cursor = page.nextCursor;
    }
    return count;
  };
}

/** Archives a memory. Returns undefined if it no longer exists. */
export async function archiveIfPresent(
  archive: (id: string) => Promise<ArchiveEntry>,
  id: string,
): Promise<ArchiveEntry | undefined> {
  try {
    return await archive(id);
  } catch (error) {
    if (error instanceof MemoryNotFoundError) return undefined;
    throw error;
  }
}
