import { z } from "zod";

const Similarity = z.number().min(0).max(1);

/** How near is near for one embedder: cosines, as measured on labelled texts. */
export const Similarities = z
  .strictObject({
    /** What unrelated texts reach: it says nothing. */
    unrelated: Similarity,
    /** Enough by itself for a text to be what was asked for. */
    convincing: Similarity,
    /** What two texts about the same thing reach: they are linked. */
    alike: Similarity,
  })
  .refine(({ unrelated, convincing }) => unrelated < convincing, "unrelated must lie below convincing");
export type Similarities = z.infer<typeof Similarities>;
