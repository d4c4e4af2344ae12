import type { IndexStatus } from "../contract/http.ts";

/** What people may see of the derived index, and do to it. */
export interface IndexControl {
  status(): Promise<IndexStatus>;
  /** Starts a rebuild from the files in the background; a second call while one runs changes nothing. */
  rebuild(): Promise<IndexStatus>;
  /** Looks for files that were changed, added or removed beside the store; resolves when the index agrees with them. */
  reconcile(): Promise<void>;
}
