import type { ModelsConfig } from "@metahuman/core/contract/models";
import type { ModelProvider } from "./provider.ts";
import { createOllamaProvider } from "./ollama/ollama-provider.ts";
import { createOpenAiProvider } from "./openai-compatible/openai-provider.ts";

const OLLAMA_ADDRESS = "http://127.0.0.1:11434";

/** Opens one server of `etc/models.json`. Keys come from the environment under the name that the entry gives. */
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

/** `OLLAMA_HOST` as people write it: `host`, `host:port`, `:port` or a URL; an address to listen on means this machine. */
export function ollamaAddress(host: string | undefined): string {
  const given = host?.trim() ?? "";
  if (given === "") return OLLAMA_ADDRESS;
  const withScheme = given.includes("://")
    ? given
    : `http://${given.startsWith(":") ? `127.0.0.1${given}` : given}`;
  if (!URL.canParse(withScheme)) return OLLAMA_ADDRESS;
  const url = new URL(withScheme);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !given.includes("://")) url.port = "11434";
  return url.toString().replace(/\/$/, "");
}
