import type { ArchiveEntry } from "../../contract/http.ts";
import type { IndexClient } from "../index/index-client.ts";
import type { MemoryUses } from "./memory-uses.ts";
import { forgetIfPresent } from "../store/forget-all.ts";

/** What is younger, was of use since, or came back since, is left alone. */
const GRACE_MS = 7 * 24 * 3_600_000;

export interface RetentionOptions {
  maxMemories: number;
  /** Ids that stay whatever they are worth: what verified functions came from, for example. */
  exempt?: Iterable<string>;
  signal?: AbortSignal;
}

/**
 * Moves what is more than `maxMemories` into the archive, the evictionCandidates first, from where each can be restored. New, used,
 * pinned, curated and verified memories stay, and what verified ones link to; so there may be more than `maxMemories`
 * afterwards. Returns what went. Rejects with the signal's reason when aborted; what went until then is archived.
 */
export type Retire = (options: RetentionOptions) => Promise<ArchiveEntry[]>;

export interface RetentionParts {
  client: IndexClient;
  uses: Pick<MemoryUses, "allMoments">;
  forget: (id: string) => Promise<ArchiveEntry>;
  clock: () => Date;
}

export function createRetention({ client, uses, forget, clock }: RetentionParts): Retire {
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
      const entry = await forgetIfPresent(forget, id);
      if (entry) retired.push(entry);
    }
    return retired;
  };
}
