import { createExactSearchIndex } from "./exact-search-index.ts";
import { describeSearchIndex } from "./search-index.suite.ts";

describeSearchIndex("exact, in memory", async () => ({
  index: createExactSearchIndex(),
  close: async () => undefined,
}));
