import { existsSync } from "node:fs";
import { join } from "node:path";
import { handOver } from "./bootstrap/child.mjs";
import { runEnvironment } from "./bootstrap/environment.mjs";
import { Failure } from "./bootstrap/main.mjs";
import { cliMain, modules, root, serverMain } from "./bootstrap/paths.mjs";
import { prepare, prepareSite } from "./bootstrap/prepare.mjs";
import { tools } from "./bootstrap/toolchain.mjs";

/** Builds the site where its sources are newer than the last build. */
export async function build() {
  await prepareSite();
  return 0;
}

/**
 * Serves the site from its sources and follows their changes.
 * @param {string[]} args for `astro dev`
 */
export async function dev(args) {
  await prepare();
  const env = { ...runEnvironment(process.env, tools), METAHUMAN_HOME: process.env.METAHUMAN_HOME || root };
  return handOver(tools.node, [join(modules, "astro", "bin", "astro.mjs"), "dev", ...args], {
    cwd: root,
    env,
  });
}

/**
 * Runs one of the programs beside the tests, against the built site.
 * @param {string} path relative to the repository
 * @param {string[]} args
 */
export async function runTool(path, args) {
  if (!existsSync(join(root, path))) throw new Failure(`There is no ${path} in this copy of the repository.`);
  await prepareSite();
  return handOver(tools.node, [join(root, path), ...args], {
    cwd: root,
    env: runEnvironment(process.env, tools),
  });
}

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
