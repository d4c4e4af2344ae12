import { describeError, ServerUnreachable, type ErrorDescription } from "../api/api-problem.ts";
import { watchLater } from "./watch.svelte.ts";

/** The state of sending what a person decides or answers: in progress, or failed. Create it while a component is initialized. */
export class DecisionState {
  busy = $state(false);
  problem = $state.raw<ErrorDescription>();
  #isOutage = false;

  /** `updates` reads what the server sends to every page: with an update, it can be reached again. */
  constructor(updates: () => unknown) {
    watchLater(updates, () => {
      if (this.#isOutage) this.problem = undefined;
    });
  }

  async submit(action: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    this.problem = undefined;
    try {
      await action();
    } catch (error) {
      this.#isOutage = error instanceof ServerUnreachable;
      this.problem = describeError(error);
    } finally {
      this.busy = false;
    }
  }
}
