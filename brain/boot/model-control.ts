import { BUILT_IN_EMBEDDER } from "@metahuman/core/contract/built-in-embedder";
import { refreshOrThrow } from "@metahuman/core/config/config-source";
import { canFillRole } from "@metahuman/core/contract/model-abilities";
import {
  type ModelInfo,
  type ModelRef,
  type ModelRole,
  type ModelSituation,
  type ModelTestPart,
  type ModelTestResult,
  type PullEvent,
  splitModelRef,
} from "@metahuman/core/contract/models";
import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import { matchesModel } from "@metahuman/models/choose-models";
import { ModelError } from "@metahuman/models/model-error";
import type { ChatUsage, ModelProvider } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import type { ModelControl } from "./brain.ts";
import { listsModel } from "./model-situation.ts";
import { createServerControl, type ServerControlParts } from "./server-control.ts";

export interface ModelControlParts extends ServerControlParts {
  router: ModelRouter;
}

export function createModelControl(parts: ModelControlParts): ModelControl {
  const { router, config, situation } = parts;
  /** The servers with a download in progress, each with its abort signal. */
  const pulling = new Map<string, AbortSignal>();

  function providerOf(id: string): ModelProvider {
    const provider = router.provider(id);
    if (provider) return provider;
    const known = Object.entries(config.current().models.providers).flatMap(([name, { enabled }]) =>
      enabled ? [name] : [],
    );
    const close = nearest(id, known);
    throw new InvalidArgsError(`There is no model server called "${id}".`, {
      suggestions: close.length > 0 ? close : known,
      context: { provider: id },
    });
  }

  async function* test(
    { model: ref, prompt }: Parameters<ModelControl["test"]>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ModelTestPart> {
    const { provider, model } = splitModelRef(ref);
    const server = providerOf(provider);
    const about = await router.info(ref);
    const contextTokens = Math.min(about?.contextTokens ?? Infinity, router.maxContextTokens());
    yield* testModel(server, { model, about, prompt, contextTokens }, signal);
  }

  return {
    ...createServerControl(parts),

    async removeModel(ref, signal) {
      const { provider, model } = splitModelRef(ref);
      const server = providerOf(provider);
      if (!server.remove)
        throw new InvalidArgsError(`The server at ${server.address} manages its models itself.`, {
          suggestions: ["Remove the model on that server."],
        });
      await server.remove(model, signal);
      return situation({ fresh: true });
    },

    async assign({ role, models }) {
      await refreshOrThrow(config);
      if (models) {
        const known = await situation({ fresh: true });
        for (const ref of models) {
          if (role === "embedder" && ref === BUILT_IN_EMBEDDER) continue;
          providerOf(splitModelRef(ref).provider);
          checkOffer(ref, role, known);
        }
      }
      const value = models ? [...new Set(models)] : undefined;
      await config.change({ section: "models", keyPath: ["roles", role], value });
      await config.refresh();
      return situation();
    },

    test,

    async pull({ provider, model }, signal) {
      const server = providerOf(provider);
      const pull = server.pull?.bind(server);
      if (!pull) {
        throw new InvalidArgsError(
          `The server at ${server.address} does not support downloads through its API.`,
          {
            suggestions: ["Load the model on that server; then it appears here."],
          },
        );
      }
      if (pulling.has(provider))
        throw new ConflictError(`A model is already being downloaded to ${server.address}.`, {
          suggestions: ["Wait until the download ends, or cancel it."],
        });
      pulling.set(provider, signal);
      const release = () => {
        if (pulling.get(provider) === signal) pulling.delete(provider);
      };
      // A consumer that stops in the middle does not end the iteration.
      signal.addEventListener("abort", release, { once: true });
      if (signal.aborted) release();
      return download({ server, pull, model, signal, release });
    },
  };

  async function* download({ server, pull, model, signal, release }: Download): AsyncGenerator<PullEvent> {
    try {
      for await (const progress of pull(model, signal)) yield { type: "progress", progress };
      await situation({ fresh: true });
      yield { type: "done", model: `${server.id}/${model}` };
    } catch (error) {
      throw error instanceof ModelError ? notPulled(error, model, server) : error;
    } finally {
      release();
    }
  }
}

interface Download {
  server: ModelProvider;
  pull: NonNullable<ModelProvider["pull"]>;
  model: string;
  signal: AbortSignal;
  /** Allows the next download. */
  release: () => void;
}

/**
 * Checks that a model is available for a role. A server that does not answer may have the model, so that is accepted.
 */
function checkOffer(ref: ModelRef, role: ModelRole, { servers }: ModelSituation): void {
  const { provider, model } = splitModelRef(ref);
  const server = servers.find(({ id }) => id === provider);
  if (!server?.reachable || server.models.length === 0) return;
  if (!listsModel(server, model)) {
    const close = nearest(
      model,
      server.models.map(({ name }) => name),
    );
    throw new InvalidArgsError(`The server at ${server.address} has no model "${model}".`, {
      suggestions: [...close.map((name) => `${provider}/${name}`), "Pull it first."],
      context: { role, model: ref },
    });
  }
  const about = server.models.find(({ name }) => matchesModel(model, name));
  if (about && !canFillRole(about, role)) {
    throw new InvalidArgsError(
      role === "embedder"
        ? `${ref} is not an embedding model, so it cannot be the embedder.`
        : `${ref} is not a chat model, so it cannot be the ${role}.`,
      { context: { role, model: ref } },
    );
  }
}

/** During a download, an error of the server usually means that its library has no model of this name. */
function notPulled(error: ModelError, model: string, server: ModelProvider): ModelError {
  const isWrongName = ["broke-off", "model-missing", "server-error"].includes(error.reason);
  return new ModelError(error.reason, `"${model}" could not be downloaded. ${error.message}`, {
    provider: server.id,
    model,
    suggestions: isWrongName
      ? ["Check the name, such as qwen3:4b: https://ollama.com/library"]
      : error.suggestions,
    cause: error,
  });
}

interface ModelTest {
  model: string;
  /** The properties of the model, if its server reports them. */
  about: ModelInfo | undefined;
  prompt: string;
  contextTokens: number;
}

/** Enough for a reasoning model to reach its answer. */
const MAX_TOKENS = 1_024;

/** Asks a model once, as its roles would, and measures the reply. An embedding model is asked for a vector. */
async function* testModel(
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
