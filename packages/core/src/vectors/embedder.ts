/** What an index needs to know of an embedder to keep its vectors. */
export type EmbedderFacts = Pick<Embedder, "id" | "dimensions">;

/**
 * Turns texts into vectors whose cosine tells how near their meanings are. Vectors of different embedders, told apart
 * by `id`, cannot be compared.
 */
export interface Embedder {
  /** Names model and version, e.g. `built-in-1` or `ollama/nomic-embed-text`; a new id means all texts are embedded anew. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector per text, in order, each of length 1 (all zeros for a text without any feature). Rejects with
   * `ModelUnavailableError` when its server cannot be reached, and with the signal's reason when aborted. A `query` is
   * what somebody looks for, a `passage` (when left out) what can be found: some models want to be told.
   */
  embed(texts: readonly string[], signal?: AbortSignal, use?: "passage" | "query"): Promise<Float32Array[]>;
}

/** The embedder that people's models offer, beside the one that is always there. It may come, change and go. */
export interface EmbedderChoice {
  /** `null`: there is none. `undefined`: not known, because its server does not answer (yet); what is there stays. */
  current(): Embedder | null | undefined;
  /** Resolves when it was looked for the first time, found or not. Never rejects. */
  readonly known: Promise<void>;
  /** Calls back whenever `current` has changed, or can be reached again; returns what ends that. */
  onChange(listener: () => void): () => void;
}
