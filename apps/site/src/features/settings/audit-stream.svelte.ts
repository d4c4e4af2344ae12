import { copy } from "./copy.ts";
import { describeError, isAbort, type ErrorDescription } from "../../lib/api/api-problem.ts";
import { lazySchemas } from "../../lib/api/http-client.ts";
import { parseEvents } from "../../lib/live/server-sent-events.ts";

const audit = lazySchemas(() => import("@metahuman/core/contract/audit"));

/** Follows the audit log and calls back for new entries, until it is paused. */
export class AuditStream {
  isFollowing = $state(false);
  /** The reason why it stopped. */
  problem = $state.raw<ErrorDescription>();
  readonly #open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly #onEntry: () => void;
  #left: AbortController | undefined;

  constructor(open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>, onEntry: () => void) {
    this.#open = open;
    this.#onEntry = onEntry;
  }

  /** Follows until it is paused or the stream ends; never rejects. */
  async follow(): Promise<void> {
    this.pause();
    const left = new AbortController();
    this.#left = left;
    this.isFollowing = true;
    this.problem = undefined;
    try {
      const stream = await this.#open(left.signal);
      // The entries that were added while it was paused.
      this.#onEntry();
      for await (const _ of parseEvents(audit("AuditEntry"), stream)) this.#onEntry();
      if (!left.signal.aborted) this.problem = { text: copy.auditStreamEnded, suggestions: [] };
    } catch (error) {
      if (!isAbort(error)) this.problem = describeError(error);
    } finally {
      if (this.#left === left) this.isFollowing = false;
    }
  }

  pause(): void {
    this.#left?.abort();
    this.isFollowing = false;
  }
}
