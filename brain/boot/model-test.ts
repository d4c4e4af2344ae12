import type { ModelInfo, ModelTestPart, ModelTestResult } from "@metahuman/core/contract/models";
import type { ChatUsage, ModelProvider } from "@metahuman/models/provider";

export interface ModelTest {
  model: string;
  /** The properties of the model, if its server reports them. */
  about: ModelInfo | undefined;
  prompt: string;
  contextTokens: number;
}

/** Enough for a reasoning model to reach its answer. */
const MAX_TOKENS = 1_024;

/** Asks a model once, as its roles would, and measures the reply. An embedding model is asked for a vector. */
export async function* testModel(
  server: ModelProvider,
  { model, about, prompt, contextTokens }: ModelTest,
  signal: AbortSignal,
): AsyncGenerator<ModelTestPart> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const abilities = about?.abilities ?? ["chat"];
  if (abilities.includes("embedding") && !abilities.includes("chat")) {
    const [vector] = await server.embed(model, [prompt], signal);
    const durationMs = elapsed();
    const result = { latencyMs: durationMs, durationMs, ...(vector && { dimensions: vector.length }) };
    yield { type: "done", result };
    return;
  }
  const messages = [{ role: "user" as const, content: prompt }];
  let latencyMs: number | undefined;
  for await (const part of server.chat({ model, messages, contextTokens, maxTokens: MAX_TOKENS }, signal)) {
    latencyMs ??= elapsed();
    switch (part.type) {
      case "text":
      case "thinking":
        yield { type: part.type, text: part.text };
        break;
      case "done":
        yield { type: "done", result: resultOf(part.usage, latencyMs, elapsed()) };
        break;
      case "tool-call":
        // No tools were offered.
        break;
      default:
        part satisfies never;
    }
  }
}

function resultOf(
  { promptTokens, completionTokens, generationMs }: ChatUsage,
  latencyMs: number,
  durationMs: number,
): ModelTestResult {
  const generating = generationMs ?? durationMs - latencyMs;
  return {
    latencyMs,
    durationMs,
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
    ...(completionTokens !== undefined &&
      generating > 0 && { tokensPerSecond: Math.round((completionTokens / generating) * 10_000) / 10 }),
  };
}
