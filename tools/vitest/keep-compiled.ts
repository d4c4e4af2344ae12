import { flushCompileCache } from "node:module";
import { beforeAll } from "vitest";

/** When a file's imports are loaded: what is compiled by now is there for the processes and threads that its tests start. */
beforeAll(() => {
  flushCompileCache();
});
