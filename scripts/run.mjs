import { Failure, main } from "./bootstrap/main.mjs";

// Runs every npm script. This file and its imports are plain JavaScript without dependencies, because they run before
// anything is installed, on Node 18 and later.

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = {
  start: async (args) => (await import("./commands.mjs")).launch(["start", ...args]),
  build: async () => (await import("./commands.mjs")).build(),
  dev: async (args) => (await import("./commands.mjs")).dev(args),
  bench: async (args) => (await import("./commands.mjs")).runTool("tests/bench/main.ts", args),
  soak: async (args) => (await import("./commands.mjs")).runTool("tests/soak/main.ts", args),
  eval: async (args) => (await import("./commands.mjs")).runTool("tests/eval/main.ts", args),
  pictures: async (args) => (await import("./commands.mjs")).runTool("tests/pictures/main.ts", args),
  check: async () => (await import("./stages/run-stages.mjs")).check(),
  test: async (args) => (await import("./stages/run-stages.mjs")).test(args),
  "cluster-test": async (args) => (await import("./stages/run-stages.mjs")).clusterTest(args),
  e2e: async (args) => (await import("./stages/run-stages.mjs")).test(["e2e", ...args]),
};

await main(async () => {
  const [name = "", ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new Failure(`Usage: node scripts/run.mjs <${Object.keys(commands).join("|")}>`);
  return command(args);
});
