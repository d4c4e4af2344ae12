import { type EditableConfig, refreshOrThrow } from "@metahuman/core/config/config-source";
import type {
  ConfiguredServer,
  ModelServerEdit,
  ModelServerTest,
} from "@metahuman/core/contract/model-servers";
import { splitModelRef, type ProviderConfig } from "@metahuman/core/contract/models";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { createOpenAiProvider } from "@metahuman/models/openai-compatible/openai-provider";
import { keyOf } from "@metahuman/models/open-provider";
import type { ModelKeys } from "@metahuman/core/config/model-keys";
import type { Brain, ModelControl } from "./brain.ts";

export interface ServerControlParts {
  config: EditableConfig;
  situation: Brain["models"];
  keys: ModelKeys;
  env: Readonly<Record<string, string | undefined>>;
}

type OpenAiServer = Extract<ProviderConfig, { kind: "openai-compatible" }>;

/** Reads the configured servers and where their keys come from. */
function readServers({ config, keys, env }: Pick<ServerControlParts, "config" | "keys" | "env">) {
  /** The entry of a server; undefined if there is none. Throws `InvalidArgsError` for one of another kind. */
  function entryOf(id: string): OpenAiServer | undefined {
    const entry = config.current().models.providers[id];
    if (entry === undefined || entry.kind === "openai-compatible") return entry;
    throw new InvalidArgsError(`"${id}" is the name of a server of another kind.`, {
      suggestions: ["Choose another name."],
      context: { issues: [{ path: "id", message: "this name is taken" }] },
    });
  }

  /** The source of an edited server's key. Stores a key that is given. */
  async function keyFields(
    { key, baseUrl }: Pick<ModelServerEdit, "key" | "baseUrl">,
    before: OpenAiServer | undefined,
  ): Promise<Pick<OpenAiServer, "apiKeyId" | "apiKeyVariable">> {
    if (key === null) return {};
    if (key !== undefined)
      return "value" in key
        ? { apiKeyId: await keys.store(key.value, baseUrl) }
        : { apiKeyVariable: key.variable };
    if (!before || !hasSameOrigin(before.baseUrl, baseUrl)) return {};
    const { apiKeyId, apiKeyVariable } = before;
    if (apiKeyVariable !== undefined) return { apiKeyVariable };
    return apiKeyId === undefined ? {} : { apiKeyId };
  }

  /** The key to test a server with. A configured key is sent only to its configured origin. */
  function keyToTest({ id, key, baseUrl }: ModelServerTest): string | undefined {
    if (key === null) return undefined;
    if (key !== undefined) return "value" in key ? key.value : env[key.variable];
    const before = entryOf(id);
    return before && hasSameOrigin(before.baseUrl, baseUrl) ? keyOf(before, env, keys) : undefined;
  }

  function describeServer(id: string, entry: OpenAiServer): ConfiguredServer {
    const { baseUrl, enabled, contextTokens, apiKeyVariable, apiKeyId } = entry;
    const key: ConfiguredServer["key"] =
      apiKeyVariable !== undefined
        ? { from: "environment", variable: apiKeyVariable, isSet: Boolean(env[apiKeyVariable]) }
        : apiKeyId !== undefined
          ? { from: "stored", readable: keys.read(apiKeyId, baseUrl) !== undefined }
          : { from: "none" };
    return {
      id,
      baseUrl: withoutCredentials(baseUrl),
      enabled,
      ...(contextTokens !== undefined && { contextTokens }),
      key,
    };
  }

  return { entryOf, keyFields, keyToTest, describeServer };
}

/** The part of `ModelControl` that adds, changes, removes and tests OpenAI-compatible servers. */
export function createServerControl({
  config,
  situation,
  keys,
  env,
}: ServerControlParts): Pick<
  ModelControl,
  "configuredServers" | "saveServer" | "removeServer" | "testServer"
> {
  const { entryOf, keyFields, keyToTest, describeServer } = readServers({ config, keys, env });

  return {
    async configuredServers() {
      await config.refresh();
      const servers = Object.entries(config.current().models.providers).flatMap(([id, entry]) =>
        entry.kind === "openai-compatible" ? [describeServer(id, entry)] : [],
      );
      return { servers };
    },

    async saveServer({ id, baseUrl, key, contextTokens }) {
      await refreshOrThrow(config);
      const before = entryOf(id);
      const context = contextTokens === undefined ? before?.contextTokens : (contextTokens ?? undefined);
      const fields = await keyFields({ key, baseUrl }, before);
      const value = {
        kind: "openai-compatible",
        baseUrl,
        ...fields,
        ...(context !== undefined && { contextTokens: context }),
      };
      try {
        await config.change({ section: "models", keyPath: ["providers", id], value });
      } catch (error) {
        if (fields.apiKeyId !== undefined && fields.apiKeyId !== before?.apiKeyId)
          await keys.remove(fields.apiKeyId);
        throw error;
      }
      if (before?.apiKeyId !== undefined && before.apiKeyId !== fields.apiKeyId)
        await keys.remove(before.apiKeyId);
      return situation({ fresh: true });
    },

    async removeServer(id) {
      await refreshOrThrow(config);
      const before = entryOf(id);
      if (!before) throw new NotFoundError(`There is no model server called "${id}".`);
      for (const [role, refs] of Object.entries(config.current().models.roles)) {
        const rest = refs.filter((ref) => splitModelRef(ref).provider !== id);
        if (rest.length === refs.length) continue;
        const value = rest.length > 0 ? rest : undefined;
        await config.change({ section: "models", keyPath: ["roles", role], value });
      }
      await config.change({ section: "models", keyPath: ["providers", id], value: undefined });
      if (before.apiKeyId !== undefined) await keys.remove(before.apiKeyId);
      return situation({ fresh: true });
    },

    async testServer(server, signal) {
      await config.refresh();
      const { limits } = config.current().models;
      const { id, baseUrl } = server;
      const provider = createOpenAiProvider({ id, baseUrl, apiKey: keyToTest(server), limits });
      const started = performance.now();
      const models = await provider.list(signal);
      return { latencyMs: Math.round(performance.now() - started), models };
    },
  };
}

const hasSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;

/** The configuration file may hold credentials in an address, which are not shown. */
function withoutCredentials(address: string): string {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.toString().replace(/\/$/, "");
}
