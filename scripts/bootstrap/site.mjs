import { existsSync } from "node:fs";
import { join } from "node:path";
import { collect } from "./child.mjs";
import { runEnvironment } from "./environment.mjs";
import { Failure } from "./main.mjs";
import { dist, modules, root } from "./paths.mjs";
import { printProgress, tail } from "./progress.mjs";
import { fingerprint, isStamped, removeStamp, writeStamp } from "./stamp.mjs";
import { tools } from "./toolchain.mjs";

// Inside the build, so that removing the build removes its stamp, too.
const stamp = join(dist, ".stamp");
const sources = ["apps/site", "packages", "brain", "astro.config.mjs", "tsconfig.json", "pnpm-lock.yaml"];

/** @param {string} path */
function shapesTheSite(path) {
  return !/(^|\/)(node_modules|\.astro|\.svelte-check|\.cache|dist)$|\.test\.ts$/.test(path);
}

const siteInputs = () => fingerprint(root, sources, shapesTheSite);

export function siteIsBuilt() {
  return existsSync(stamp) && isStamped(stamp, siteInputs());
}

/**
 * Builds the site into dist/.
 * @param {import("./child.mjs").OnStart} onStart
 */
export async function buildSite(onStart) {
  printProgress("Building the site…");
  const inputs = siteInputs();
  removeStamp(stamp);
  const run = await astro(["build"], onStart);
  if (run.code !== 0) throw new Failure(`${tail(run.output, 60)}\n\nThe site could not be built.`);
  writeStamp(stamp, inputs);
}

/**
 * @param {string[]} args
 * @param {import("./child.mjs").OnStart} [onStart]
 */
function astro(args, onStart) {
  const env = { ...runEnvironment(process.env, tools), NODE_ENV: undefined };
  return collect(tools.node, [join(modules, "astro", "bin", "astro.mjs"), ...args], {
    cwd: root,
    env,
    onStart,
  });
}
