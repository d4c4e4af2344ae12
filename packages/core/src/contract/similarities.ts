import { z } from "zod";

const Similarity = z.number().min(0).max(1);

/** Cosine similarity thresholds of one embedder, measured on labelled texts. */
export const Similarities = z
  .strictObject({
    /** The similarity that unrelated texts reach. */
    unrelated: Similarity,
    /** The similarity that is sufficient for a match on its own. */
    convincing: Similarity,
    /** The similarity at which two texts are linked. */
    alike: Similarity,
  })
  .refine(({ unrelated, convincing }) => unrelated < convincing, "unrelated must lie below convincing");
export type Similarities = z.infer<typeof Similarities>;
