import { canPlay } from "@metahuman/core/contract/model-abilities";
import {
  splitModelRef,
  type ModelInfo,
  type ModelRef,
  type ModelRole,
  type ModelsConfig,
  type ThinkSetting,
} from "@metahuman/core/contract/models";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { chooseModels, namesModel, type OfferedModel } from "./choose-models.ts";
import { ModelError } from "./model-error.ts";
import type { ChatPart, ChatRequest, ChatUsage, ModelProvider } from "./provider.ts";
import { watchProvider, type ProviderHealth, type ProviderWatch } from "./provider-watch.ts";

/** A reply's part, or the news of which model gives it. */
export type RoutedPart =
  | ChatPart
  /** Comes first, and again after a fall-back: what was said until then no longer counts. */
  | {
      type: "model";
      ref: ModelRef;
      info: ModelInfo | undefined;
      after: ModelError | undefined;
      /** The cap on the reply, in tokens; undefined where the server decides. */
      maxTokens: number | undefined;
      contextTokens: number;
    };

export type RoutedRequest = Omit<ChatRequest, "model" | "think" | "contextTokens"> & {
  /** Takes the place of the configured setting. */
  think?: ThinkSetting;
};

export interface RoleChoice {
  role: ModelRole;
  /** In the order they are asked; empty when there is none. */
  models: ModelRef[];
  /** True when a person chose them in `etc/models.json`. */
  configured: boolean;
}

export interface ModelRouter {
  /** The models of a role that are there now, best first. Asks the servers only when what is known is out of date. */
  modelsFor(role: ModelRole): Promise<RoleChoice>;
  /** What is known of one model. */
  info(ref: ModelRef): Promise<ModelInfo | undefined>;
  /**
   * Streams a reply from the first model of the role that serves. Falls back along the list when a server cannot
   * serve, never because of what a model said. Throws the last `ModelError`, or `ModelUnavailableError` with no model.
   * Without `maxTokens` a reply may fill what the prompt leaves of the context; thinking comes on top of `maxTokens`.
   */
  chat(role: ModelRole, request: RoutedRequest, signal: AbortSignal): AsyncIterable<RoutedPart>;
  /** Every server with what is known of it. */
  servers(options?: { fresh?: boolean }): Promise<{ provider: ModelProvider; health: ProviderHealth }[]>;
  provider(id: string): ModelProvider | undefined;
  /** The most context that is ever reserved, in tokens. */
  maxContextTokens(): number;
  /** How fast each model that was used answered last, in tokens per second. */
  speeds(): Record<ModelRef, number>;
  /** Ends every question about servers that is under way; calls to models end with their own signals. */
  close(): void;
}

export interface RouterOptions {
  /** Read at every call: a changed configuration counts from the next one. */
  config: () => ModelsConfig;
  useSingleModel: () => boolean;
  /** Whether reasoning models think where a request does not say; `off` when absent. */
  think?: () => ThinkSetting;
  /** Opens a server of the configuration; called again only when its entry changes. */
  open: (
    id: string,
    config: ModelsConfig["providers"][string],
    limits: ModelsConfig["limits"],
  ) => ModelProvider;
  /** Milliseconds that only ever grow. */
  now?: () => number;
}

export function createRouter({
  config,
  useSingleModel,
  think = () => "off",
  open,
  now = () => performance.now(),
}: RouterOptions): ModelRouter {
  const opened = new Map<string, { key: string; watch: ProviderWatch }>();
  const speeds = new Map<ModelRef, number>();
  /** Models that were seen to think, whether their server says that they can or not. */
  const thinkers = new Set<ModelRef>();

  function watches(): Map<string, ProviderWatch> {
    const { providers, limits } = config();
    const current = new Map<string, ProviderWatch>();
    for (const [id, entry] of Object.entries(providers)) {
      if (!entry.enabled) continue;
      const key = JSON.stringify([entry, limits]);
      let known = opened.get(id);
      if (known?.key !== key) {
        known = { key, watch: watchProvider(open(id, entry, limits), now) };
        opened.set(id, known);
      }
      current.set(id, known.watch);
    }
    return current;
  }

  async function offered(): Promise<OfferedModel[]> {
    const all = await Promise.all(
      [...watches()].map(async ([id, watch]) => {
        const { models } = await watch.health();
        return models.map((info) => ({ ref: `${id}/${info.name}`, info }));
      }),
    );
    return all.flat();
  }

  async function modelsFor(role: ModelRole): Promise<RoleChoice> {
    // One model for everything that chats; an embedder is another kind of model.
    const asked = useSingleModel() && role !== "embedder" ? "planner" : role;
    const configured = config().roles[asked];
    if (!configured) return { role, models: chooseModels(asked, await offered()), configured: false };
    const current = watches();
    const usable = await Promise.all(
      configured.map(async (ref) => {
        const health = await current.get(splitModelRef(ref).provider)?.health();
        const about = await info(ref);
        return health?.reachable === true && (about === undefined || canPlay(about, role));
      }),
    );
    return { role, models: configured.filter((_, index) => usable[index]), configured: true };
  }

  async function info(ref: ModelRef): Promise<ModelInfo | undefined> {
    const { provider, model } = splitModelRef(ref);
    const found = (await watches().get(provider)?.health())?.models.find(({ name }) =>
      namesModel(model, name),
    );
    const entry = config().providers[provider];
    const told = entry?.kind === "openai-compatible" ? entry.contextTokens : undefined;
    return found && told !== undefined ? { contextTokens: told, ...found } : found;
  }

  async function* chat(
    role: ModelRole,
    request: RoutedRequest,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedPart> {
    let failed: ModelError | undefined;
    for (const ref of (await modelsFor(role)).models) {
      const { provider, model } = splitModelRef(ref);
      const watch = watches().get(provider);
      if (!watch) continue;
      const about = await info(ref);
      const terms = termsFor(request, { ref, about, provider: watch.provider });
      const { maxTokens, contextTokens } = terms;
      yield { type: "model", ref, info: about, after: failed, maxTokens, contextTokens };
      try {
        for await (const part of watch.provider.chat(chatRequest(request, model, terms), signal)) {
          if (part.type === "thinking") thinkers.add(ref);
          if (part.type === "done") noteSpeed(ref, part.usage);
          yield part;
        }
        watch.note(undefined);
        return;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        watch.note(error);
        if (!error.mayTryElsewhere) throw error;
        failed = error;
      }
    }
    throw (
      failed ??
      new ModelUnavailableError("No language model is connected.", {
        suggestions: ["Start Ollama, or name a model server in etc/models.json."],
      })
    );
  }

  /** What a call asks of one model besides the request itself. */
  function termsFor(
    request: RoutedRequest,
    { ref, about, provider }: { ref: ModelRef; about: ModelInfo | undefined; provider: ModelProvider },
  ): Terms {
    const most = config().maxContextTokens;
    // As much context as the model has, up to what the configuration allows to reserve.
    const contextTokens = Math.min(about?.contextTokens ?? most, most);
    const thinks = about?.abilities?.includes("thinking") ? SWITCH[request.think ?? think()] : undefined;
    const mayThink = thinks ?? (about?.abilities?.includes("thinking") === true || thinkers.has(ref));
    // A server that reserves the context by itself knows better than we do how much of it is left.
    const room =
      provider.kind === "ollama"
        ? Math.max(LEAST_REPLY_TOKENS, contextTokens - promptTokens(request))
        : undefined;
    const asked = request.maxTokens;
    const cap = asked === undefined ? room : asked + (mayThink ? THINKING_TOKENS : 0);
    return {
      contextTokens,
      maxTokens: cap === undefined || room === undefined ? cap : Math.min(cap, room),
      think: thinks,
    };
  }

  function noteSpeed(ref: ModelRef, { completionTokens, generationMs }: ChatUsage): void {
    if (completionTokens === undefined || generationMs === undefined || generationMs === 0) return;
    speeds.set(ref, Math.round((completionTokens / generationMs) * 10_000) / 10);
  }

  return {
    maxContextTokens: () => config().maxContextTokens,
    speeds: () => Object.fromEntries(speeds),
    close() {
      for (const { watch } of opened.values()) watch.close();
    },
    modelsFor,
    info,
    chat,
    servers: (options) =>
      Promise.all(
        [...watches().values()].map(async (watch) => ({
          provider: watch.provider,
          health: await watch.health(options),
        })),
      ),
    provider: (id) => watches().get(id)?.provider,
  };
}

interface Terms {
  contextTokens: number;
  maxTokens: number | undefined;
  /** Absent for models without the switch: some servers refuse it. */
  think: boolean | undefined;
}

const SWITCH: Readonly<Record<ThinkSetting, boolean | undefined>> = { off: false, on: true, auto: undefined };
/** Servers count thinking as part of the reply; this much comes on top of a cap, in tokens. */
const THINKING_TOKENS = 4_096;
/** Asked for even where the prompt seems to fill the context: estimates may be wrong. */
const LEAST_REPLY_TOKENS = 256;
/** What the template adds to each message, in tokens. */
const MESSAGE_TOKENS = 4;

function promptTokens({ messages, tools }: RoutedRequest): number {
  const shown = messages.reduce((sum, { content }) => sum + estimateTokens(content) + MESSAGE_TOKENS, 0);
  return shown + (tools ? estimateTokens(JSON.stringify(tools)) : 0);
}

function chatRequest(request: RoutedRequest, model: string, terms: Terms): ChatRequest {
  const { think: _setting, maxTokens: _asked, ...rest } = request;
  const { contextTokens, maxTokens, think } = terms;
  return {
    ...rest,
    model,
    contextTokens,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(think !== undefined && { think }),
  };
}
