import type { ArchiveEntry } from "../../contract/http.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";

/** Moves a memory into the archive; undefined when somebody was faster. */
export async function forgetUnlessGone(
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
