import type { ModelInfo, ModelRole } from "./models.ts";

/** Advice for places where a model would help. */
export const HOW_TO_GET_A_MODEL =
  "Install Ollama and pull a model, or add an OpenAI-compatible server under Settings → Models.";

/** Whether a model can play a role. If its server does not report abilities, it is assumed to. */
export function canFillRole({ abilities }: ModelInfo, role: ModelRole): boolean {
  return abilities?.includes(role === "embedder" ? "embedding" : "chat") ?? true;
}

/** Whether a model is known not to support tools. */
export function lacksTools(info: ModelInfo | undefined): boolean {
  return info?.abilities?.includes("tools") === false;
}
