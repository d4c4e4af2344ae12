import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { ModelFailure, ModelRef } from "@metahuman/core/contract/models";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalizeVector } from "@metahuman/core/vectors/vector-math";
import { ModelError } from "../model-error.ts";
import type { ModelProvider } from "../provider.ts";

/** Failures unrelated to the texts. The same call may succeed later. */
const TEMPORARY_FAILURES: ReadonlySet<ModelFailure> = new Set([
  "unreachable",
  "timed-out",
  "model-missing",
  "key-refused",
  "rate-limited",
]);

export interface ModelEmbedderOptions {
  ref: ModelRef;
  model: string;
  dimensions: number;
  /** The server in the current configuration. */
  provider: () => ModelProvider | undefined;
}

/** Embeds with a model on a server. Throws if the length of its vectors changes. */
export function createModelEmbedder({ ref, model, dimensions, provider }: ModelEmbedderOptions): Embedder {
  return {
    id: ref,
    dimensions,
    async embed(texts, signal = new AbortController().signal, use = "passage") {
      const server = provider();
      if (!server)
        throw new ModelUnavailableError(`The server of ${ref} is no longer configured.`, {
          suggestions: ["Add the server again, or choose another embedder under Settings → Models."],
        });
      try {
        const inputs = texts.map((text) => withInstruction(model, text, use));
        const vectors = await server.embed(model, inputs, signal);
        if (vectors.some(({ length }) => length !== dimensions))
          throw new ModelUnavailableError(`${ref} returned vectors of a different length than before.`);
        return vectors.map(normalizeVector);
      } catch (error) {
        if (!(error instanceof ModelError) || !TEMPORARY_FAILURES.has(error.reason)) throw error;
        throw new ModelUnavailableError(error.message, {
          suggestions: error.suggestions,
          cause: error,
        });
      }
    },
  };
}

type Use = NonNullable<Parameters<Embedder["embed"]>[2]>;

/**
 * The prefixes that models were trained with, by the start of their name, from their model cards. Without them the
 * models find less.
 */
const INSTRUCTIONS: readonly { model: RegExp; before: Record<Use, string> }[] = [
  { model: /^nomic-embed-text/, before: { passage: "search_document: ", query: "search_query: " } },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed)/,
    before: { passage: "", query: "Represent this sentence for searching relevant passages: " },
  },
];

/** Adds the model's prefix for this use to the text. */
function withInstruction(model: string, text: string, use: Use): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const instruction = INSTRUCTIONS.find((entry) => entry.model.test(name));
  return `${instruction?.before[use] ?? ""}${text}`;
}
