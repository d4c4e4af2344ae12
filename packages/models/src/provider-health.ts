import type { ModelInfo } from "@metahuman/core/contract/models";
import { ModelError } from "./model-error.ts";
import type { ModelProvider } from "./provider.ts";

/** The health of a model server. */
export interface ProviderHealth {
  reachable: boolean;
  /** A sentence, if it is not reachable. */
  problem: string | undefined;
  /** The latency of the last successful request, in milliseconds. */
  latencyMs: number | undefined;
  models: readonly ModelInfo[];
  checkedAt: number;
}

/** How long a health check is valid, in milliseconds. An unreachable server is checked more often. */
const FRESH_MS = 8_000;
const UNREACHABLE_FRESH_MS = 5_000;

export interface HealthTracker {
  readonly provider: ModelProvider;
  /** Returns the health, checked again when stale. Concurrent calls share one check. Never throws. */
  health(options?: { fresh?: boolean }): Promise<ProviderHealth>;
  /** Records whether a call to the server succeeded. */
  record(error: ModelError | undefined): void;
  /** Ends the current check, which then reports the server as unreachable. */
  close(): void;
}

/** Tracks whether a server answers, how fast, and with which models. */
export function trackHealth(provider: ModelProvider, now: () => number): HealthTracker {
  const closed = new AbortController();
  let last: ProviderHealth | undefined;
  let checking: Promise<ProviderHealth> | undefined;
  const details = new Map<string, ModelInfo>();

  const isFresh = (health: ProviderHealth) =>
    now() - health.checkedAt < (health.reachable ? FRESH_MS : UNREACHABLE_FRESH_MS);

  async function check(): Promise<ProviderHealth> {
    const { signal } = closed;
    const started = now();
    try {
      const listed = await provider.list(signal);
      const latencyMs = now() - started;
      const models = await Promise.all(listed.map((model) => withDetails(model, signal)));
      return { reachable: true, problem: undefined, latencyMs, models, checkedAt: now() };
    } catch (error) {
      if (!(error instanceof ModelError) && !signal.aborted) throw error;
      const problem = error instanceof ModelError ? error.message : "The server is no longer checked.";
      return { reachable: false, problem, latencyMs: undefined, models: [], checkedAt: now() };
    }
  }

  /** Adds a model's abilities and context length, cached by name and size. */
  async function withDetails(model: ModelInfo, signal: AbortSignal): Promise<ModelInfo> {
    if (provider.kind !== "ollama") return model;
    const key = `${model.name} ${String(model.bytes ?? 0)}`;
    const known = details.get(key);
    if (known) return known;
    try {
      const info = { ...model, ...(await provider.show(model.name, signal)) };
      details.set(key, info);
      return info;
    } catch (error) {
      // A model that was removed after the listing, or that the server cannot describe, stays listed.
      if (error instanceof ModelError || signal.aborted) return model;
      throw error;
    }
  }

  return {
    provider,
    async health({ fresh = false } = {}) {
      if (last && isFresh(last) && !fresh) return last;
      // A model may have been replaced under the same name.
      if (fresh) details.clear();
      checking ??= check().finally(() => {
        checking = undefined;
      });
      last = await checking;
      return last;
    },
    record(error) {
      if (!last) return;
      if (error === undefined) last = { ...last, reachable: true, problem: undefined };
      else if (error.reason === "unreachable")
        last = { ...last, reachable: false, problem: error.message, checkedAt: now() };
    },
    close: () => closed.abort(),
  };
}
