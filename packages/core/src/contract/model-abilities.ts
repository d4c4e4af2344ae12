import type { ModelInfo, ModelRole } from "./models.ts";

/** Whether a model can play a role at all; where its server does not say what it can do, it is taken to. */
export function canPlay({ abilities }: ModelInfo, role: ModelRole): boolean {
  return abilities?.includes(role === "embedder" ? "embedding" : "chat") ?? true;
}

/** Whether a model is known not to take tools. */
export function lacksTools(info: ModelInfo | undefined): boolean {
  return info?.abilities?.includes("tools") === false;
}
