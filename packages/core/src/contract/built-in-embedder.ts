import type { ModelRef } from "./models.ts";

/** The model reference that assigns the built-in embedder to the role `embedder`, even if a model could embed. */
export const BUILT_IN_EMBEDDER: ModelRef = "built-in/embedder";
