import type { FunctionCheck } from "@metahuman/core/contract/verification";
import type { VerifyingEvent } from "@metahuman/core/contract/answers";
import { isAbort, UnexpectedResponse } from "../../lib/api/api-problem.ts";

type Outcome = Exclude<VerifyingEvent, { type: "check-started" | "check-ended" }>;

/** A verification as it goes on: its checks in the order they end. */
export class Verification {
  /** The function that is verified now. */
  id = $state<string>();
  ended = $state.raw<readonly FunctionCheck[]>([]);
  /** The check that takes its time now. */
  running = $state<string>();
  #left: AbortController | undefined;

  /**
   * Follows it to its end and tells what came of it; nothing when it was cancelled. Throws as the stream does, and
   * `UnexpectedResponse` for one that ends without an outcome.
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
        // Another one was begun, and what is shown is of that one.
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
