import type { Embedder } from "./embedder.ts";

/** The embedder that people's models offer, beside the one that is always there. It may come, change and go. */
export interface EmbedderChoice {
  /** `null`: there is none. `undefined`: not known, because its server does not answer (yet); what is there stays. */
  current(): Embedder | null | undefined;
  /** Resolves when it was looked for the first time, found or not. Never rejects. */
  readonly known: Promise<void>;
  /** Calls back whenever `current` has changed, or can be reached again; returns what ends that. */
  onChange(listener: () => void): () => void;
}
