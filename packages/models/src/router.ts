import { setTimeout as delay } from "node:timers/promises";
import { canFillRole } from "@metahuman/core/contract/model-abilities";
import {
  type ModelInfo,
  type ModelRef,
  type ModelRole,
  type ModelsConfig,
  splitModelRef,
  type ThinkSetting,
} from "@metahuman/core/contract/models";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { chooseModels, matchesModel, type OfferedModel } from "./choose-models.ts";
import { ModelError } from "./model-error.ts";
import type { ChatPart, ChatRequest, ChatUsage, ModelProvider } from "./provider.ts";

/** A part of a reply, or the model that produces it. */
export type RoutedPart =
  | ChatPart
  /** The first part, repeated after a fallback and when a model is asked once more: earlier parts are then void. */
  | {
      type: "model";
      ref: ModelRef;
      info: ModelInfo | undefined;
      after: ModelError | undefined;
      /** The limit of the reply in tokens; undefined if the server decides. */
      maxTokens: number | undefined;
      contextTokens: number;
    };

export type RoutedRequest = Omit<ChatRequest, "model" | "think" | "contextTokens"> & {
  /** Overrides the configured setting. */
  think?: ThinkSetting;
};

export interface RoleChoice {
  role: ModelRole;
  /** In the order of use. */
  models: ModelRef[];
  /** True if `etc/models.json` assigns them. */
  configured: boolean;
}

export interface ModelRouter {
  /** Returns the available models of a role, best first. Asks the servers only if their health is stale. */
  modelsFor(role: ModelRole): Promise<RoleChoice>;
  /** Returns a model's properties. */
  info(ref: ModelRef): Promise<ModelInfo | undefined>;
  /**
   * Streams a reply from the first available model of the role. Asks a model once more after `RETRY_MS` when its server fails for the
   * moment. Falls back along the list when a server fails, never because of a reply. Throws the last `ModelError`, or `ModelUnavailableError` without a model.
   * Without `maxTokens`, a reply may fill the rest of the context. Thinking does not count towards `maxTokens`.
   */
  chat(role: ModelRole, request: RoutedRequest, signal: AbortSignal): AsyncIterable<RoutedPart>;
  /** Returns every server with its health. */
  servers(options?: { fresh?: boolean }): Promise<{ provider: ModelProvider; health: ProviderHealth }[]>;
  provider(id: string): ModelProvider | undefined;
  /** The maximum context that is reserved, in tokens. */
  maxContextTokens(): number;
  /** The last measured speed of each used model, in tokens per second. */
  speeds(): Record<ModelRef, number>;
  /** Ends all health checks. Model calls end with their own signals. */
  close(): void;
}

export interface RouterOptions {
  /** Read at every call, so that a changed configuration applies to the next one. */
  config: () => ModelsConfig;
  useSingleModel: () => boolean;
  /** Whether reasoning models think by default; `off` if absent. */
  think?: () => ThinkSetting;
  /** Opens a configured server. Called again only when its entry changes. */
  open: (
    id: string,
    config: ModelsConfig["providers"][string],
    limits: ModelsConfig["limits"],
  ) => ModelProvider;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

export function createRouter({
  config,
  useSingleModel,
  think = () => "off",
  open,
  now = () => performance.now(),
}: RouterOptions): ModelRouter {
  const servers = createServerList({ config, open, now });
  const speeds = new Map<ModelRef, number>();
  /** Models that have sent thinking, whatever their server lists. */
  const thinkingModels = new Set<ModelRef>();

  async function modelsFor(role: ModelRole): Promise<RoleChoice> {
    // A single model serves all chat roles. An embedder is a different kind of model.
    const isPlanner =
      (useSingleModel() && role !== "embedder") || (role === "chooser" && !config().roles.chooser);
    const assignedRole = isPlanner ? "planner" : role;
    const configured = config().roles[assignedRole];
    if (!configured)
      return { role, models: chooseModels(assignedRole, await servers.models()), configured: false };
    const current = servers.current();
    const usable = await Promise.all(
      configured.map(async (ref) => {
        const health = await current.get(splitModelRef(ref).provider)?.health();
        const about = await info(ref);
        return health?.reachable === true && (about === undefined || canFillRole(about, role));
      }),
    );
    return { role, models: configured.filter((_, index) => usable[index]), configured: true };
  }

  async function info(ref: ModelRef): Promise<ModelInfo | undefined> {
    const { provider, model } = splitModelRef(ref);
    const found = (await servers.current().get(provider)?.health())?.models.find(({ name }) =>
      matchesModel(model, name),
    );
    const entry = config().providers[provider];
    const configuredTokens = entry?.kind === "openai-compatible" ? entry.contextTokens : undefined;
    return found && configuredTokens !== undefined ? { contextTokens: configuredTokens, ...found } : found;
  }

  async function* chat(
    role: ModelRole,
    request: RoutedRequest,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedPart> {
    let failed: ModelError | undefined;
    for (const ref of (await modelsFor(role)).models) {
      const { provider, model } = splitModelRef(ref);
      const tracker = servers.current().get(provider);
      if (!tracker) continue;
      const about = await info(ref);
      const canThink = about?.abilities?.includes("thinking") === true;
      const settings = callSettings(request, {
        contextTokens: about?.contextTokens,
        maxContextTokens: config().maxContextTokens,
        managesContext: tracker.provider.kind !== "ollama",
        think: canThink ? THINK_FLAGS[request.think ?? think()] : undefined,
        mayThink: canThink || thinkingModels.has(ref),
      });
      const { maxTokens, contextTokens } = settings;
      for (let isRetry = false; ; isRetry = true) {
        yield { type: "model", ref, info: about, after: failed, maxTokens, contextTokens };
        try {
          for await (const part of tracker.provider.chat(chatRequest(request, model, settings), signal)) {
            if (part.type === "thinking") thinkingModels.add(ref);
            if (part.type === "done") recordSpeed(ref, part.usage);
            yield part;
          }
          tracker.record(undefined);
          return;
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          tracker.record(error);
          if (!error.allowsFallback) throw error;
          failed = error;
          if (isRetry || !error.isMomentary) break;
        }
        await waitUnlessAborted(RETRY_MS, signal);
      }
    }
    throw (
      failed ??
      new ModelUnavailableError("No language model is connected.", {
        suggestions: ["Start Ollama, or add a model server under Settings → Models."],
      })
    );
  }

  function recordSpeed(ref: ModelRef, { completionTokens, generationMs }: ChatUsage): void {
    if (completionTokens === undefined || generationMs === undefined || generationMs === 0) return;
    speeds.set(ref, Math.round((completionTokens / generationMs) * 10_000) / 10);
  }

  return {
    maxContextTokens: () => config().maxContextTokens,
    speeds: () => Object.fromEntries(speeds),
    close: servers.close,
    modelsFor,
    info,
    chat,
    servers: (options) =>
      Promise.all(
        [...servers.current().values()].map(async (tracker) => ({
          provider: tracker.provider,
          health: await tracker.health(options),
        })),
      ),
    provider: (id) => servers.current().get(id)?.provider,
  };
}

/** How long to wait before a model is asked once more, in milliseconds. */
const RETRY_MS = 1_000;

/** Rejects with the signal's reason. */
export async function waitUnlessAborted(waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(waitMs, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

interface ServerList {
  /** The enabled servers by id. A server whose entry changed is opened again. */
  current(): Map<string, HealthTracker>;
  /** The models of all reachable servers. */
  models(): Promise<OfferedModel[]>;
  close(): void;
}

function createServerList({
  config,
  open,
  now,
}: Pick<RouterOptions, "config" | "open"> & { now: () => number }): ServerList {
  const opened = new Map<string, { key: string; tracker: HealthTracker }>();
  function current(): Map<string, HealthTracker> {
    const { providers, limits } = config();
    const trackers = new Map<string, HealthTracker>();
    for (const [id, entry] of Object.entries(providers)) {
      if (!entry.enabled) continue;
      const key = JSON.stringify([entry, limits]);
      let known = opened.get(id);
      if (known?.key !== key) {
        known = { key, tracker: trackHealth(open(id, entry, limits), now) };
        opened.set(id, known);
      }
      trackers.set(id, known.tracker);
    }
    return trackers;
  }

  async function models(): Promise<OfferedModel[]> {
    const all = await Promise.all(
      [...current()].map(async ([id, tracker]) => {
        const health = await tracker.health();
        return health.models.map((info) => ({ ref: `${id}/${info.name}`, info }));
      }),
    );
    return all.flat();
  }

  return {
    current,
    models,
    close() {
      for (const { tracker } of opened.values()) tracker.close();
    },
  };
}

interface CallSettings {
  contextTokens: number;
  maxTokens: number | undefined;
  /** Absent for models that cannot think: some servers reject the flag. */
  think: boolean | undefined;
}

const THINK_FLAGS: Readonly<Record<ThinkSetting, boolean | undefined>> = {
  off: false,
  on: true,
  auto: undefined,
};
/** Added to a limit in tokens, because servers count thinking as part of the reply. */
const THINKING_TOKENS = 4_096;
/** The minimum reply limit in tokens, even if the estimated prompt fills the context. */
const MIN_REPLY_TOKENS = 256;
/** The overhead of the chat template per message, in tokens. */
const MESSAGE_TOKENS = 4;

/** Returns the limits and the think flag for a call to one model. */
function callSettings(
  request: RoutedRequest,
  model: {
    /** The model's context, if known. */
    contextTokens: number | undefined;
    maxContextTokens: number;
    /** Whether the server limits replies to the context itself. */
    managesContext: boolean;
    think: boolean | undefined;
    /** Whether the reply may contain thinking. */
    mayThink: boolean;
  },
): CallSettings {
  const contextTokens = Math.min(model.contextTokens ?? model.maxContextTokens, model.maxContextTokens);
  const remaining = model.managesContext
    ? undefined
    : Math.max(MIN_REPLY_TOKENS, contextTokens - promptTokens(request));
  const mayThink = model.think ?? model.mayThink;
  const requestedTokens = request.maxTokens;
  const cap = requestedTokens === undefined ? remaining : requestedTokens + (mayThink ? THINKING_TOKENS : 0);
  return {
    contextTokens,
    maxTokens: cap === undefined || remaining === undefined ? cap : Math.min(cap, remaining),
    think: model.think,
  };
}

function promptTokens({ messages, tools }: RoutedRequest): number {
  const estimatedTokens = messages.reduce(
    (sum, { content }) => sum + estimateTokens(content) + MESSAGE_TOKENS,
    0,
  );
  return estimatedTokens + (tools ? estimateTokens(JSON.stringify(tools)) : 0);
}

function chatRequest(request: RoutedRequest, model: string, settings: CallSettings): ChatRequest {
  const { think: _setting, maxTokens: _asked, ...rest } = request;
  const { contextTokens, maxTokens, think } = settings;
  return {
    ...rest,
    model,
    contextTokens,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(think !== undefined && { think }),
  };
}

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
function trackHealth(provider: ModelProvider, now: () => number): HealthTracker {
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
