import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import type { Run } from "@metahuman/core/contract/run";
import { describeError } from "../../lib/api/api-problem.ts";
import { watch } from "../../lib/ui/watch.svelte.ts";
import type { Api } from "../shell/api.ts";

/**
 * The model calls of a run. Prompts are not in the events: they are loaded when the run is idle, and again after it has
 * continued. Create it while a component is initialized.
 */
export class ModelCallsOfRun {
  /** Absent until loaded. Earlier ones stay visible while newer ones are loaded. */
  calls = $state.raw<readonly ModelCallRecord[]>();
  problem = $state.raw<string>();
  /** False while the run is running or queued. */
  readonly isIdle = $derived.by(() => this.#run().status !== "running" && this.#run().status !== "queued");
  /** Whether a model was called. */
  readonly hasCalls = $derived.by(() => this.#run().usage.modelCalls > 0);

  readonly #api: Pick<Api, "run">;
  readonly #run: () => Run;

  constructor(api: Pick<Api, "run">, run: () => Run) {
    this.#api = api;
    this.#run = run;
    let readOf: string | undefined;
    watch(
      () => [run(), this.isIdle && this.hasCalls] as const,
      ([known, isReadable]) => {
        if (known.id !== readOf) this.calls = undefined;
        readOf = known.id;
        if (isReadable) void this.#read(known);
      },
    );
  }

  async #read(known: Run): Promise<void> {
    const isCurrent = () => known.id === this.#run().id && known.lastSeq === this.#run().lastSeq;
    try {
      const found = known.modelCalls ?? (await this.#api.run(known.id)).modelCalls ?? [];
      if (!isCurrent()) return;
      this.calls = found;
      this.problem = undefined;
    } catch (error) {
      if (isCurrent()) this.problem = describeError(error).text;
    }
  }
}
