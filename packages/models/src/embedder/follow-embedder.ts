import { BUILT_IN_EMBEDDER } from "@metahuman/core/contract/built-in-embedder";
import { splitModelRef, type ModelRef } from "@metahuman/core/contract/models";
import type { Embedder, EmbedderChoice } from "@metahuman/core/vectors/embedder";
import { namesModel } from "../choose-models.ts";
import type { ModelRouter } from "../router.ts";
import { createModelEmbedder } from "./model-embedder.ts";

/** How often the servers are looked at, in milliseconds. */
const EVERY_MS = 30_000;
/** How long anybody waits for a look: a model that is asked for its dimensions may have to be loaded first. */
const PATIENCE_MS = 1_000;
/** Its vector says how many dimensions the model has. */
const PROBE = "length";

/** The role `embedder`, followed while it changes. */
export interface EmbedderFollower extends EmbedderChoice {
  /** Looks now; resolves when done, or when that takes long. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

export interface FollowOptions {
  router: ModelRouter;
  /** What a person chose for the role, in order. */
  assigned: () => readonly ModelRef[] | undefined;
  onWarning: (message: string, cause?: unknown) => void;
}

interface Wanted {
  ref: ModelRef;
  /** Tells a model from another that took its name. */
  key: string;
}

/**
 * The first assigned model that its server has, or the one that is chosen unasked. Vectors of two models cannot be
 * compared, so a server that is away is waited for instead of falling back along the list.
 */
export function followEmbedder({ router, assigned, onWarning }: FollowOptions): EmbedderFollower {
  const closed = new AbortController();
  const listeners = new Set<() => void>();
  const known = Promise.withResolvers<undefined>();
  let current: Embedder | null | undefined;
  let currentKey: string | undefined;
  let isAway = false;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function wanted(): Promise<Wanted | null | undefined> {
    const servers = await router.servers();
    const choice = assigned() ?? (await router.modelsFor("embedder")).models.slice(0, 1);
    for (const ref of choice) {
      if (ref === BUILT_IN_EMBEDDER) return null;
      const { provider, model } = splitModelRef(ref);
      const server = servers.find((one) => one.provider.id === provider);
      if (!server) continue;
      if (!server.health.reachable) return undefined;
      const info = server.health.models.find(({ name }) => namesModel(model, name));
      if (info) return { ref: `${provider}/${info.name}`, key: `${info.name} ${String(info.bytes ?? 0)}` };
      // A server that lists nothing may have it.
      if (server.health.models.length === 0) return { ref, key: ref };
    }
    const mayHaveOne = assigned() === undefined && servers.some(({ health }) => !health.reachable);
    return mayHaveOne ? undefined : null;
  }

  async function look(): Promise<void> {
    const next = await wanted();
    if (next === undefined) {
      isAway = true;
      return;
    }
    const key = next === null ? "none" : `${next.ref} ${next.key}`;
    const isSame = key === currentKey;
    if (!isSame) current = next === null ? null : await open(next.ref);
    if (isSame && !isAway) return;
    currentKey = key;
    isAway = false;
    for (const listener of listeners) listener();
  }

  async function open(ref: ModelRef): Promise<Embedder> {
    const { provider, model } = splitModelRef(ref);
    const server = () => router.provider(provider);
    const [vector] = (await server()?.embed(model, [PROBE], closed.signal)) ?? [];
    if (!vector) throw new Error(`${ref} gave no vector`);
    return createModelEmbedder({ ref, model, dimensions: vector.length, provider: server });
  }

  function refresh(): Promise<void> {
    if (closed.signal.aborted) return Promise.resolve();
    looking ??= look()
      .catch((error: unknown) => {
        isAway = true;
        if (!closed.signal.aborted) onWarning("The embedder could not be made ready.", error);
      })
      .finally(() => {
        looking = undefined;
        known.resolve(undefined);
      });
    const patience = Promise.withResolvers<undefined>();
    const late = setTimeout(() => {
      known.resolve(undefined);
      patience.resolve(undefined);
    }, PATIENCE_MS).unref();
    return Promise.race([looking, patience.promise]).finally(() => clearTimeout(late));
  }

  return {
    current: () => current,
    known: known.promise,
    onChange(listener) {
      begin();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    close() {
      closed.abort();
      clearInterval(timer);
    },
  };

  /** Nobody is asked anything until somebody wants to know. */
  function begin(): void {
    if (timer || closed.signal.aborted) return;
    timer = setInterval(() => void refresh(), EVERY_MS).unref();
    void refresh();
  }
}
