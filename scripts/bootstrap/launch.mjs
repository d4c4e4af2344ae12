import { handOver } from "./child.mjs";
import { runEnvironment } from "./environment.mjs";
import { cliMain, root, serverMain } from "./paths.mjs";
import { prepareSite } from "./prepare.mjs";
import { tools } from "./toolchain.mjs";

/**
 * Installs and builds what is missing, then runs the `mh` command line in the current folder. `mh start` without options runs
 * the server program directly, so that signals reach it without a process in between.
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
  // Most objects of a server live long: the default size of the young generation would make its idle memory a third larger.
  const program = serves ? ["--max-semi-space-size=1", serverMain] : [cliMain, ...args];
  return handOver(tools.node, program, { env });
}

/**
 * The variables of a server. One memory pool for all threads, because a pool for each thread, the default of glibc, retains
 * freed memory.
 * @param {NodeJS.ProcessEnv} environment
 */
function serving({ NODE_ENV = "production", MALLOC_ARENA_MAX = "1" }) {
  return { NODE_ENV, MALLOC_ARENA_MAX };
}
