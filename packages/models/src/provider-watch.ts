import type { ModelInfo } from "@metahuman/core/contract/models";
import { ModelError } from "./model-error.ts";
import type { ModelProvider } from "./provider.ts";

/** What is known of one model server. */
export interface ProviderHealth {
  reachable: boolean;
  /** One sentence when it is not. */
  problem: string | undefined;
  /** Of the last answered question, in milliseconds. */
  latencyMs: number | undefined;
  models: readonly ModelInfo[];
  checkedAt: number;
}

/** How long an answer about a server's models is good, in milliseconds; an absent server is looked for more often. */
const FRESH_MS = 30_000;
const ABSENT_FRESH_MS = 5_000;

export interface ProviderWatch {
  readonly provider: ModelProvider;
  /** What is known, asked anew when it is out of date; questions at the same time share one answer. Never throws. */
  health(options?: { fresh?: boolean }): Promise<ProviderHealth>;
  /** A call to the server went well or failed: believed at once. */
  note(error: ModelError | undefined): void;
  /** Ends the question under way; whoever waits for it is told that the server does not answer. */
  close(): void;
}

/** Keeps an eye on one server: whether it answers, how fast, with which models. */
export function watchProvider(provider: ModelProvider, now: () => number): ProviderWatch {
  const closed = new AbortController();
  let last: ProviderHealth | undefined;
  let asking: Promise<ProviderHealth> | undefined;
  const details = new Map<string, ModelInfo>();

  const isFresh = (health: ProviderHealth) =>
    now() - health.checkedAt < (health.reachable ? FRESH_MS : ABSENT_FRESH_MS);

  async function ask(): Promise<ProviderHealth> {
    const { signal } = closed;
    const started = now();
    try {
      const listed = await provider.list(signal);
      const latencyMs = now() - started;
      const models = await Promise.all(listed.map((model) => detailed(model, signal)));
      return { reachable: true, problem: undefined, latencyMs, models, checkedAt: now() };
    } catch (error) {
      if (!(error instanceof ModelError) && !signal.aborted) throw error;
      const problem = error instanceof ModelError ? error.message : "It is not asked any more.";
      return { reachable: false, problem, latencyMs: undefined, models: [], checkedAt: now() };
    }
  }

  /** A model's abilities and context length, asked once for each model of its size. */
  async function detailed(model: ModelInfo, signal: AbortSignal): Promise<ModelInfo> {
    if (provider.kind !== "ollama") return model;
    const key = `${model.name} ${String(model.bytes ?? 0)}`;
    const known = details.get(key);
    if (known) return known;
    try {
      const info = { ...model, ...(await provider.show(model.name, signal)) };
      details.set(key, info);
      return info;
    } catch (error) {
      // A model that was removed between list and show, or that the server cannot describe, is still listed.
      if (error instanceof ModelError || signal.aborted) return model;
      throw error;
    }
  }

  return {
    provider,
    async health({ fresh = false } = {}) {
      if (last && isFresh(last) && !fresh) return last;
      // A model may have been made anew under the same name.
      if (fresh) details.clear();
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      last = await asking;
      return last;
    },
    note(error) {
      if (!last) return;
      if (error === undefined) last = { ...last, reachable: true, problem: undefined };
      else if (error.reason === "unreachable")
        last = { ...last, reachable: false, problem: error.message, checkedAt: now() };
    },
    close: () => closed.abort(),
  };
}
