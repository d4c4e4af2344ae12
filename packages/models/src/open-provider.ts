import type { ModelsConfig } from "@metahuman/core/contract/models";
import type { ModelProvider } from "./provider.ts";
import { createOllamaProvider } from "./ollama/ollama-provider.ts";
import { createOpenAiProvider } from "./openai-compatible/openai-provider.ts";

const DEFAULT_OLLAMA_ADDRESS = "http://127.0.0.1:11434";

/** Opens a server of `etc/models.json`. The API key comes from the environment variable that the entry names. */
export function openProvider(
  id: string,
  entry: ModelsConfig["providers"][string],
  limits: ModelsConfig["limits"],
  env: Readonly<Record<string, string | undefined>>,
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
        apiKey: entry.apiKeyVariable === undefined ? undefined : env[entry.apiKeyVariable],
        limits,
      });
    default:
      return entry satisfies never;
  }
}

/** Parses `OLLAMA_HOST`: `host`, `host:port`, `:port` or a URL. A listening address such as 0.0.0.0 means this machine. */
export function ollamaAddress(host: string | undefined): string {
  const given = host?.trim() ?? "";
  if (given === "") return DEFAULT_OLLAMA_ADDRESS;
  const withScheme = given.includes("://")
    ? given
    : `http://${given.startsWith(":") ? `127.0.0.1${given}` : given}`;
  if (!URL.canParse(withScheme)) return DEFAULT_OLLAMA_ADDRESS;
  const url = new URL(withScheme);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !given.includes("://")) url.port = "11434";
  return url.toString().replace(/\/$/, "");
}
