import { describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import type { Api } from "../shell/api.ts";
import { RunState, type FirstRun } from "./run-state.svelte.ts";

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

  /** Starts with a run that the server rendered. */
  begin(first: FirstRun): void {
    this.id = first.run.id;
    this.state = RunState.rendered(first);
  }

  /** Loads a run and follows it. */
  async open(id: string): Promise<void> {
    this.close();
    this.id = id;
    try {
      const run = await this.#app.api.run(id);
      if (this.id !== id) return;
      this.begin({ run });
      this.follow();
    } catch (error) {
      if (this.id === id) this.problem = describeError(error);
    }
  }

  /** Follows the run while it is in progress. Browser only. */
  follow(): void {
    const { state } = this;
    if (!state || state.run.status === "ended") return;
    this.#unwatch = this.#app.feed.watch(state.run.id, {
      lastSeq: () => state.run.lastSeq,
      onEvent: (event) => state.apply(event),
    });
  }

  close(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.id = undefined;
    this.state = undefined;
    this.problem = undefined;
  }
}
