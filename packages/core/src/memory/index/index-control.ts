import type { IndexStatus } from "../../contract/http.ts";
import type { Embeddings } from "./embeddings.ts";
import type { IndexClient } from "./index-client.ts";

/** Status and maintenance of the derived index. */
export interface IndexControl {
  status(): Promise<IndexStatus>;
  /** Starts a rebuild from the files in the background; a second call while one runs changes nothing. */
  rebuild(): Promise<IndexStatus>;
  /** Indexes files that were changed, added or removed outside the store; resolves when the index is up to date. */
  reconcile(): Promise<void>;
}

/**
 * The status of the index. `progress` is the share of files read during a rebuild, or the share of embedded memories
 * while a new embedder takes over. The latter counts as rebuilding while the embedder is reachable.
 */
export async function indexStatus(client: IndexClient, embeddings: Embeddings): Promise<IndexStatus> {
  await embeddings.ready();
  const { embedder, isComplete, isWorking, searchedWith } = embeddings.status();
  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const state = await client.call("state", { embedder: facts });
  const isChanging = embedder.id !== searchedWith && !isComplete;
  return {
    ...state,
    ...(isChanging &&
      !state.rebuilding && { rebuilding: isWorking, progress: shareOf(state.embedded, state.items) }),
    embedder: embedder.id,
    searchedWith,
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.min(1, part / whole);
}
