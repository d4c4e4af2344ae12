import type { ArchiveEntry } from "../../contract/http.ts";
import type { MemoryPort } from "../memory-port.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";

const AT_ONCE = 100;

/** Moves everything a filter admits into the archive, page by page; what others are faster with is not counted. */
export function createForgetAll({
  list,
  forget,
}: {
  list: MemoryPort["list"];
  forget: (id: string) => Promise<ArchiveEntry>;
}): MemoryPort["forgetAll"] {
  return async (filter, signal) => {
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ ...filter, limit: AT_ONCE, ...(cursor !== undefined && { cursor }) });
      for (const { id } of page.items) {
        signal?.throwIfAborted();
        if (await forgetIfPresent(forget, id)) count += 1;
      }
      cursor = page.nextCursor;
    }
    return count;
  };
}

/** Moves a memory into the archive; undefined when somebody was faster. */
export async function forgetIfPresent(
  forget: (id: string) => Promise<ArchiveEntry>,
  id: string,
): Promise<ArchiveEntry | undefined> {
  try {
    return await forget(id);
  } catch (error) {
    if (error instanceof MemoryNotFoundError) return undefined;
    throw error;
  }
}
