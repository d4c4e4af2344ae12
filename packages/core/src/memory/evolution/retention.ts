import type { ArchiveEntry } from "../../contract/http.ts";
import type { IndexClient } from "../index/index-client.ts";
import type { MemoryUses } from "./memory-uses.ts";
import { archiveIfPresent } from "../store/forget-all.ts";

/** Memories that were created, used or restored within this time are kept. */
const GRACE_MS = 7 * 24 * 3_600_000;

export interface RetentionOptions {
  maxMemories: number;
  /** Ids that are always kept, such as the sources of verified functions. */
  exempt?: Iterable<string>;
  signal?: AbortSignal;
}

/**
 * Archives the weakest memories beyond `maxMemories`; each can be restored. Keeps new, used, pinned, curated and verified
 * memories and those that verified ones link to, so more than `maxMemories` may remain. Returns the archived memories.
 * Rejects with the signal's reason when aborted; memories archived by then stay archived.
 */
export type Retire = (options: RetentionOptions) => Promise<ArchiveEntry[]>;

export interface RetentionDependencies {
  client: IndexClient;
  uses: Pick<MemoryUses, "allMoments">;
  archive: (id: string) => Promise<ArchiveEntry>;
  clock: () => Date;
}

export function createRetention({ client, uses, archive, clock }: RetentionDependencies): Retire {
  return async ({ maxMemories, exempt = [], signal }) => {
    signal?.throwIfAborted();
    const now = clock().getTime();
    const ids = await client.call("evictionCandidates", {
      keep: maxMemories,
      since: new Date(now - GRACE_MS).toISOString(),
      now,
      moments: await uses.allMoments(),
      exempt: [...exempt],
    });
    const retired: ArchiveEntry[] = [];
    for (const id of ids) {
      signal?.throwIfAborted();
      const entry = await archiveIfPresent(archive, id);
      if (entry) retired.push(entry);
    }
    return retired;
  };
}
