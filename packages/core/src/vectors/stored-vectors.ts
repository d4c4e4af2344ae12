import type { EmbedderFacts } from "./embedder.ts";

/** A text of a record to embed. */
export interface RecordText {
  /** The id of the record. */
  id: string;
  text: string;
}

/** The vectors of a model that several processes share, so that each text is embedded once. */
export interface StoredVectors {
  /** Whether those of the built-in embedder are stored, too, so that memories can be searched where they are stored. */
  readonly storesBuiltIn: boolean;
  /** The vectors of those texts that were stored, by the id of the record. */
  load(embedder: EmbedderFacts, texts: readonly RecordText[]): Promise<ReadonlyMap<string, Float32Array>>;
  /**
   * Stores the vectors of these records, unless those of the same texts are stored. Leaves out vectors of texts that
   * another process has changed meanwhile, and those with numbers that cannot be stored.
   */
  save(embedder: EmbedderFacts, vectors: readonly (RecordText & { vector: Float32Array })[]): Promise<void>;
}
