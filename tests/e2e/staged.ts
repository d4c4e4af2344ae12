import { openModelStage, type ModelStage } from "../support/model-stage.ts";
import { test as base } from "./support.ts";

/** The page of a server that has a double of Ollama beside it; one for all tests of a worker. */
export const test = base.extend<object, { stage: ModelStage }>({
  stage: [
    async ({ browserName: _none }, use) => {
      const stage = await openModelStage();
      await use(stage);
      await stage.close();
    },
    { scope: "worker" },
  ],
  server: [async ({ stage }, use) => use(stage.server), { scope: "worker" }],
});
