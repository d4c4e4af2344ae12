import type { Environment } from "vitest/runtime";

/** Node, with its modules transformed as for the browser; there is no document. */
const environment: Environment = {
  name: "browser-modules",
  viteEnvironment: "client",
  setup: () => ({ teardown: () => undefined }),
};

export default environment;
