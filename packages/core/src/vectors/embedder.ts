/** The properties of an embedder that an index needs. */
export type EmbedderFacts = Pick<Embedder, "id" | "dimensions">;

/**
 * Turns texts into vectors whose cosine measures similarity of meaning. Vectors of embedders with different ids are not
 * comparable.
 */
export interface Embedder {
  /** Model and version, e.g. `built-in-2` or `ollama/nomic-embed-text`. A new id makes the index embed every text again. */
  readonly id: string;
  readonly dimensions: number;
  /** The number of texts that it embeds well in one call; 32 by default. */
  readonly batchSize?: number;
  /**
   * Returns one vector per text, in order, each of length 1 (zeros for a text without features). `use` tells models that
   * distinguish queries from stored passages; it defaults to `passage`. Rejects with `ModelUnavailableError` if the server
   * is unreachable, and with the signal's reason when aborted.
   */
  embed(texts: readonly string[], signal?: AbortSignal, use?: "passage" | "query"): Promise<Float32Array[]>;
}

/** The chosen embedder of a model server, in addition to the built-in one. It may change at any time. */
export interface EmbedderChoice {
  /** `null`: none is chosen. `undefined`: unknown, because the server does not answer; the index keeps its state. */
  current(): Embedder | null | undefined;
  /** Resolves after the first look-up, whether it found an embedder or not. Never rejects. */
  readonly known: Promise<void>;
  /** Calls `listener` whenever `current` changes or is reachable again. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}
