import type { ModelRef } from "./models.ts";

/** Given to the role `embedder`: the built-in one, also where a model could embed. */
export const BUILT_IN_EMBEDDER: ModelRef = "built-in/embedder";
