import type { ModelInfo, ModelRole, ModelServerState } from "./models.ts";

/** Advice for places where a model would help. */
export const HOW_TO_GET_A_MODEL =
  "Install Ollama and pull a model, or add an OpenAI-compatible server under Settings → Models.";

interface ServerWithProblem extends Pick<ModelServerState, "kind"> {
  problem?: string | undefined;
}

/**
 * What to do where no model plans. A server that somebody has added is to be mended; only without one, advice on how to
 * get a model.
 */
export function adviceOnModels(servers: readonly ServerWithProblem[]): string {
  const problem = problemOfAdded(servers);
  return problem === undefined ? HOW_TO_GET_A_MODEL : `${problem} Check it under Settings → Models.`;
}

/** The problem of a model server that somebody has added; Ollama is configured without anybody's doing. */
export function problemOfAdded(servers: readonly ServerWithProblem[]): string | undefined {
  return servers.find(({ kind, problem }) => kind !== "ollama" && problem !== undefined)?.problem;
}

/** Whether a model can play a role. If its server does not report abilities, it is assumed to. */
export function canFillRole({ abilities }: ModelInfo, role: ModelRole): boolean {
  return abilities?.includes(role === "embedder" ? "embedding" : "chat") ?? true;
}

/** Whether a model is known not to support tools. */
export function lacksTools(info: ModelInfo | undefined): boolean {
  return info?.abilities?.includes("tools") === false;
}
