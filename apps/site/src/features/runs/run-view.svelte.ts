import { describeError, type ErrorDescription } from "../../lib/api/api-problem.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import type { Run } from "@metahuman/core/contract/run";
import type { Api } from "../shell/api.ts";
import { RunState, type FirstRun } from "./run-state.svelte.ts";

interface Services {
  api: Pick<Api, "run">;
  feed: Pick<Feed, "watch">;
  /** Resolves when the code that shows the run is loaded, so that all of it appears at once. */
  loadParts?: (run: Run) => Promise<unknown>;
}

/** One run with all details, followed while it is in progress. */
export class RunView {
  id = $state<string>();
  state = $state.raw<RunState>();
  problem = $state.raw<ErrorDescription>();

  readonly #services: Services;
  #unwatch: (() => void) | undefined;

  constructor(services: Services) {
    this.#services = services;
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
      const run = await this.#services.api.run(id);
      await this.#services.loadParts?.(run);
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
    this.#unwatch = this.#services.feed.watch(state.run.id, {
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
