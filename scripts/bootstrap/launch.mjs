import { handOver } from "./child.mjs";
import { runEnvironment } from "./environment.mjs";
import { cliMain, root, serverMain } from "./paths.mjs";
import { prepareSite } from "./prepare.mjs";
import { tools } from "./toolchain.mjs";

/**
 * Runs the `mh` command line in the current folder, after preparing what it needs. `mh start` becomes the server itself,
 * so that no second process stands between it and its signals; it has no options, and the command line says so.
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function launch(args) {
  const serves = args.length === 1 && args[0] === "start";
  await prepareSite();
  const env = {
    ...runEnvironment(process.env, tools),
    METAHUMAN_HOME: process.env.METAHUMAN_HOME || root,
    ...(serves ? serving(process.env) : {}),
  };
  // What a server holds lives long: a nursery of the usual size would only make its idle memory larger, by a third.
  const program = serves ? ["--max-semi-space-size=1", serverMain] : [cliMain, ...args];
  return handOver(tools.node, program, { env });
}

/**
 * What a server runs with. One memory pool for all threads: a pool for each (glibc's habit) only keeps freed memory.
 * @param {NodeJS.ProcessEnv} environment
 */
function serving({ NODE_ENV = "production", MALLOC_ARENA_MAX = "1" }) {
  return { NODE_ENV, MALLOC_ARENA_MAX };
}
