import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { ModelFailure, ModelRef } from "@metahuman/core/contract/models";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalised } from "@metahuman/core/vectors/vector-math";
import { ModelError } from "../model-error.ts";
import type { ModelProvider } from "../provider.ts";

/** Nothing is wrong with the texts: another time, the same call may do. */
const AWAY: ReadonlySet<ModelFailure> = new Set([
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
  /** Its server, as it is configured now. */
  provider: () => ModelProvider | undefined;
}

/** A model on a server as an embedder. Vectors of another length than it began with are refused. */
export function createModelEmbedder({ ref, model, dimensions, provider }: ModelEmbedderOptions): Embedder {
  return {
    id: ref,
    dimensions,
    async embed(texts, signal = new AbortController().signal, use = "passage") {
      const server = provider();
      if (!server) throw new ModelUnavailableError(`There is no server for ${ref} any more.`);
      try {
        const asked = texts.map((text) => instructed(model, text, use));
        const vectors = await server.embed(model, asked, signal);
        if (vectors.some(({ length }) => length !== dimensions))
          throw new ModelUnavailableError(`${ref} embeds into another number of dimensions than before.`);
        return vectors.map(normalised);
      } catch (error) {
        if (!(error instanceof ModelError) || !AWAY.has(error.reason)) throw error;
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
 * What models were trained to find before a text, by the beginning of their name and as their cards say it. Without it
 * they still embed, and find less.
 */
const INSTRUCTIONS: readonly { model: RegExp; before: Record<Use, string> }[] = [
  { model: /^nomic-embed-text/, before: { passage: "search_document: ", query: "search_query: " } },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed)/,
    before: { passage: "", query: "Represent this sentence for searching relevant passages: " },
  },
];

/** The text as the model wants it for this use. */
function instructed(model: string, text: string, use: Use): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const found = INSTRUCTIONS.find((instruction) => instruction.model.test(name));
  return `${found?.before[use] ?? ""}${text}`;
}
