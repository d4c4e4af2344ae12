import { existsSync } from "node:fs";
import { join } from "node:path";
import { handOver } from "./bootstrap/child.mjs";
import { runEnvironment } from "./bootstrap/environment.mjs";
import { Failure } from "./bootstrap/failure.mjs";
import { modules, root } from "./bootstrap/paths.mjs";
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
