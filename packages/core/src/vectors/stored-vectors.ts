import type { EmbedderFacts } from "./embedder.ts";

/** A text of a record, as it is embedded. */
export interface RecordText {
  /** The id of the record. */
  id: string;
  text: string;
}

/** The vectors of a model that several processes share, so that each text is embedded once. */
export interface StoredVectors {
  /** The vectors of those texts that were stored, by the id of the record. */
  load(embedder: EmbedderFacts, texts: readonly RecordText[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Replaces the vectors of these records. */
  save(embedder: EmbedderFacts, vectors: readonly (RecordText & { vector: Float32Array })[]): Promise<void>;
}
