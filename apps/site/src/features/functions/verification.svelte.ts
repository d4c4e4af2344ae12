import type { FunctionCheck } from "@metahuman/core/contract/verification";
import type { VerifyingEvent } from "@metahuman/core/contract/answers";
import { isAbort, UnexpectedResponse } from "../../lib/api/api-problem.ts";

type Outcome = Exclude<VerifyingEvent, { type: "check-started" | "check-ended" }>;

/** A running verification: its checks in the order in which they end. */
export class Verification {
  /** The function that is being verified. */
  id = $state<string>();
  ended = $state.raw<readonly FunctionCheck[]>([]);
  /** The running check. */
  running = $state<string>();
  #left: AbortController | undefined;

  /**
   * Follows the stream to its end and resolves to the outcome; undefined if it was cancelled. Throws as the stream
   * does, and `UnexpectedResponse` if the stream ends without an outcome.
   */
  async follow(
    id: string,
    open: (signal: AbortSignal) => AsyncIterable<VerifyingEvent>,
  ): Promise<Outcome | undefined> {
    this.cancel();
    const left = new AbortController();
    this.#left = left;
    this.id = id;
    this.ended = [];
    this.running = undefined;
    try {
      for await (const event of open(left.signal)) {
        // Another verification has started, and its progress is shown.
        if (left.signal.aborted) return undefined;
        const outcome = this.#take(event);
        if (outcome) return outcome;
      }
      if (left.signal.aborted) return undefined;
      throw new UnexpectedResponse(`the checks of ${id}`, "a stream without an end");
    } catch (error) {
      if (isAbort(error)) return undefined;
      throw error;
    } finally {
      if (this.#left === left) {
        this.id = undefined;
        this.running = undefined;
      }
    }
  }

  cancel(): void {
    this.#left?.abort();
  }

  #take(event: VerifyingEvent): Outcome | undefined {
    switch (event.type) {
      case "check-started":
        this.running = event.name;
        return undefined;
      case "check-ended":
        this.running = undefined;
        this.ended = [...this.ended, event.check];
        return undefined;
      case "function-verified":
      case "function-promoted":
        return event;
      default:
        return event satisfies never;
    }
  }
}
