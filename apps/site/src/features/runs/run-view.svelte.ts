import { describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import type { Api } from "../shell/api.ts";
import { RunState } from "./run-state.svelte.ts";

interface Services {
  api: Pick<Api, "run">;
  feed: Pick<Feed, "watch">;
}

/** One run with all details, followed while it is in progress. */
export class RunView {
  id = $state<string>();
  state = $state.raw<RunState>();
  problem = $state.raw<ErrorDescription>();

  readonly #app: Services;
  #unwatch: (() => void) | undefined;

  constructor(app: Services) {
    this.#app = app;
  }

  async open(id: string): Promise<void> {
    this.close();
    this.id = id;
    try {
      const state = new RunState(await this.#app.api.run(id));
      if (this.id !== id) return;
      this.state = state;
      if (state.run.status !== "ended") {
        this.#unwatch = this.#app.feed.watch(id, {
          lastSeq: () => state.run.lastSeq,
          onEvent: (event) => state.apply(event),
        });
      }
    } catch (error) {
      if (this.id === id) this.problem = describeError(error);
    }
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.id = undefined;
    this.state = undefined;
    this.problem = undefined;
  }
}
