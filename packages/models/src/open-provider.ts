import { isIPv6 } from "node:net";
import type { ModelKeys } from "@metahuman/core/config/model-keys";
import type { ModelsConfig, ProviderConfig } from "@metahuman/core/contract/models";
import type { ModelProvider } from "./provider.ts";
import { createOllamaProvider } from "./ollama/ollama-provider.ts";
import { createOpenAiProvider } from "./openai-compatible/openai-provider.ts";

const DEFAULT_OLLAMA_ADDRESS = "http://127.0.0.1:11434";

/** Reads the key of a server: from the environment variable that its entry names, else from the stored keys. */
export function keyOf(
  entry: OpenAiCompatible,
  env: Environment,
  keys: Pick<ModelKeys, "read"> | undefined,
): string | undefined {
  const { apiKeyVariable, apiKeyId, baseUrl } = entry;
  if (apiKeyVariable !== undefined) return env[apiKeyVariable];
  return apiKeyId === undefined ? undefined : keys?.read(apiKeyId, baseUrl);
}

type Environment = Readonly<Record<string, string | undefined>>;
type OpenAiCompatible = Extract<ProviderConfig, { kind: "openai-compatible" }>;

/** Opens a server of `etc/models.json`. Without `keys`, there are no stored ones. */
export function openProvider(
  id: string,
  entry: ModelsConfig["providers"][string],
  limits: ModelsConfig["limits"],
  env: Environment,
  keys?: Pick<ModelKeys, "read">,
): ModelProvider {
  switch (entry.kind) {
    case "ollama":
      return createOllamaProvider({
        id,
        baseUrl: entry.baseUrl ?? ollamaAddress(env["OLLAMA_HOST"]),
        keepAlive: entry.keepAlive,
        limits,
      });
    case "openai-compatible":
      return createOpenAiProvider({
        id,
        baseUrl: entry.baseUrl,
        apiKey: keyOf(entry, env, keys),
        limits,
      });
    default:
      return entry satisfies never;
  }
}

/**
 * Parses `OLLAMA_HOST`: `host`, `host:port`, `:port`, an IPv6 address with or without brackets, or a URL. A listening
 * address such as 0.0.0.0 means this machine.
 */
export function ollamaAddress(host: string | undefined): string {
  const trimmed = host?.trim() ?? "";
  const hostText = isIPv6(trimmed) ? `[${trimmed}]` : trimmed;
  if (hostText === "") return DEFAULT_OLLAMA_ADDRESS;
  const withScheme = hostText.includes("://")
    ? hostText
    : `http://${hostText.startsWith(":") ? `127.0.0.1${hostText}` : hostText}`;
  if (!URL.canParse(withScheme)) return DEFAULT_OLLAMA_ADDRESS;
  const url = new URL(withScheme);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  // `URL` drops the default port of its scheme, so the text is checked for one.
  if (!hostText.includes("://") && !/:\d+(?:\/|$)/u.test(hostText)) url.port = "11434";
  return url.toString().replace(/\/$/, "");
}
