import { createExactVectorIndex } from "./exact-vector-index.ts";
import { describeVectorIndex } from "./vector-index.suite.ts";

describeVectorIndex("exact, in memory", async (dimensions) => ({
  index: createExactVectorIndex(dimensions),
  close: async () => undefined,
}));
