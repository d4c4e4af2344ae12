/** Opens a profile in the data root of the first argument, and prints the address of each module that was loaded, one a line. */
import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    loaded.add(url);
    return next(url, context);
  },
});

const { createBrain } = await import("../create-brain.ts");
const { createLogger } = await import("@metahuman/core/log/logger");
const brain = await createBrain({
  home: process.argv[2] ?? "",
  env: { OLLAMA_HOST: "http://127.0.0.1:9" },
  logger: createLogger({ level: "silent" }),
});
const owner = { username: "ada", password: "correct horse battery" };
await brain.accounts.setup(owner, { address: "test", fromLoopback: true });
const profile = await brain.profile("ada");
await profile.memory.list({ limit: 1 });
await brain.close({ graceMs: 0 });
process.stdout.write([...loaded].join("\n"));
