import { BUILT_IN_EMBEDDER } from "@metahuman/core/contract/built-in-embedder";
import { type ModelFailure, type ModelRef, splitModelRef } from "@metahuman/core/contract/models";
import type { Embedder, EmbedderChoice } from "@metahuman/core/vectors/embedder";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { normalizeVector } from "@metahuman/core/vectors/vector-math";
import { matchesModel } from "../choose-models.ts";
import type { ModelRouter } from "../router.ts";
import { ModelError } from "../model-error.ts";
import type { ModelProvider } from "../provider.ts";

/** The polling interval, in milliseconds. */
const POLL_INTERVAL_MS = 30_000;
/** The maximum time that `refresh` waits, in milliseconds. A server may have to load the model first. */
const MAX_WAIT_MS = 1_000;
/** A text whose vector shows the dimensions of the model. */
const PROBE = "length";

/** Tracks the model of the role `embedder` while it changes. */
export interface EmbedderFollower extends EmbedderChoice {
  /** Polls now. Resolves when done or after `MAX_WAIT_MS`. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

export interface FollowOptions {
  router: ModelRouter;
  /** The models assigned to the role, in order. */
  assigned: () => readonly ModelRef[] | undefined;
  onWarning: (message: string, cause?: unknown) => void;
}

interface SelectedModel {
  ref: ModelRef;
  /** Distinguishes two models with the same name. */
  key: string;
}

/**
 * Selects the first assigned model that its server has, or the default one. Vectors of two models cannot be
 * compared, so an unreachable server means waiting, not falling back along the list.
 */
export function followEmbedder({ router, assigned, onWarning }: FollowOptions): EmbedderFollower {
  const closed = new AbortController();
  const listeners = new Set<() => void>();
  const known = Promise.withResolvers<undefined>();
  let current: Embedder | null | undefined;
  let currentKey: string | undefined;
  let isUnreachable = false;
  let polling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function selectModel(): Promise<SelectedModel | null | undefined> {
    const servers = await router.servers();
    const choice = assigned() ?? (await router.modelsFor("embedder")).models.slice(0, 1);
    for (const ref of choice) {
      if (ref === BUILT_IN_EMBEDDER) return null;
      const { provider, model } = splitModelRef(ref);
      const server = servers.find((one) => one.provider.id === provider);
      if (!server) continue;
      if (!server.health.reachable) return undefined;
      const info = server.health.models.find(({ name }) => matchesModel(model, name));
      if (info) return { ref: `${provider}/${info.name}`, key: `${info.name} ${String(info.bytes ?? 0)}` };
      // A server that lists no models may still have it.
      if (server.health.models.length === 0) return { ref, key: ref };
    }
    const mayAppear = assigned() === undefined && servers.some(({ health }) => !health.reachable);
    return mayAppear ? undefined : null;
  }

  async function poll(): Promise<void> {
    const next = await selectModel();
    if (next === undefined) {
      isUnreachable = true;
      return;
    }
    const key = next === null ? "none" : `${next.ref} ${next.key}`;
    const isSame = key === currentKey;
    if (!isSame) current = next === null ? null : await open(next.ref);
    if (isSame && !isUnreachable) return;
    currentKey = key;
    isUnreachable = false;
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
    polling ??= poll()
      .catch((error: unknown) => {
        isUnreachable = true;
        if (!closed.signal.aborted) onWarning("The embedder could not be opened.", error);
      })
      .finally(() => {
        polling = undefined;
        known.resolve(undefined);
      });
    const deadline = Promise.withResolvers<undefined>();
    const timeout = setTimeout(() => {
      known.resolve(undefined);
      deadline.resolve(undefined);
    }, MAX_WAIT_MS).unref();
    return Promise.race([polling, deadline.promise]).finally(() => clearTimeout(timeout));
  }

  return {
    current: () => current,
    known: known.promise,
    onChange(listener) {
      startPolling();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    close() {
      closed.abort();
      clearInterval(timer);
    },
  };

  /** Polling starts with the first listener. */
  function startPolling(): void {
    if (timer || closed.signal.aborted) return;
    timer = setInterval(() => void refresh(), POLL_INTERVAL_MS).unref();
    void refresh();
  }
}

/** Failures unrelated to the texts. The same call may succeed later. */
const TEMPORARY_FAILURES: ReadonlySet<ModelFailure> = new Set([
  "unreachable",
  "timed-out",
  "model-missing",
  "key-refused",
  "rate-limited",
]);

interface ModelEmbedderOptions {
  ref: ModelRef;
  model: string;
  dimensions: number;
  /** The server in the current configuration. */
  provider: () => ModelProvider | undefined;
}

/** Embeds with a model on a server. Throws if the length of its vectors changes. */
export function createModelEmbedder({ ref, model, dimensions, provider }: ModelEmbedderOptions): Embedder {
  return {
    id: ref,
    dimensions,
    async embed(texts, signal = new AbortController().signal, use = "passage") {
      const server = provider();
      if (!server)
        throw new ModelUnavailableError(`The server of ${ref} is no longer configured.`, {
          suggestions: ["Add the server again, or choose another embedder under Settings → Models."],
        });
      try {
        const inputs = texts.map((text) => withInstruction(model, text, use));
        const vectors = await server.embed(model, inputs, signal);
        if (vectors.some(({ length }) => length !== dimensions))
          throw new ModelUnavailableError(`${ref} returned vectors of a different length than before.`);
        return vectors.map(normalizeVector);
      } catch (error) {
        if (!(error instanceof ModelError) || !TEMPORARY_FAILURES.has(error.reason)) throw error;
        throw new ModelUnavailableError(error.message, {
          suggestions: error.suggestions,
          cause: error,
        });
      }
    },
  };
}

type Use = NonNullable<Parameters<Embedder["embed"]>[2]>;

/**
 * The prefixes that models were trained with, by the start of their name, from their model cards. Without them the
 * models find less.
 */
const INSTRUCTIONS: readonly { model: RegExp; before: Record<Use, string> }[] = [
  { model: /^nomic-embed-text/, before: { passage: "search_document: ", query: "search_query: " } },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed)/,
    before: { passage: "", query: "Represent this sentence for searching relevant passages: " },
  },
];

/** Adds the model's prefix for this use to the text. */
function withInstruction(model: string, text: string, use: Use): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const instruction = INSTRUCTIONS.find((entry) => entry.model.test(name));
  return `${instruction?.before[use] ?? ""}${text}`;
}
