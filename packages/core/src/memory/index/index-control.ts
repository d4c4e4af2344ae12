import type { IndexStatus } from "../../contract/http.ts";
import type { Embeddings } from "./embeddings.ts";
import type { IndexClient } from "./index-client.ts";

/** What people may see of the derived index, and do to it. */
export interface IndexControl {
  status(): Promise<IndexStatus>;
  /** Starts a rebuild from the files in the background; a second call while one runs changes nothing. */
  rebuild(): Promise<IndexStatus>;
  /** Looks for files that were changed, added or removed beside the store; resolves when the index agrees with them. */
  reconcile(): Promise<void>;
}

/**
 * How the index stands. While files are read anew, `progress` is their share; while another embedder's vectors are made,
 * the share of memories that have one. That counts as rebuilding for as long as the embedder can be reached.
 */
export async function indexStatus(client: IndexClient, embeddings: Embeddings): Promise<IndexStatus> {
  await embeddings.known();
  const { embedder, isComplete, isWorking, searchedWith } = embeddings.wanted();
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
