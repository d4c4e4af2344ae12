import { join } from "node:path";
import { takeLock } from "./lock.mjs";
import { installPackages, packagesAreInstalled } from "./packages.mjs";
import { root } from "./paths.mjs";
import { printProgress } from "./progress.mjs";
import { buildSite, siteIsBuilt } from "./site.mjs";
import {
  installNode,
  installPnpm,
  nodeIsReady,
  pnpmIsReady,
  pnpmRunsOnThisNode,
  requireUsableNode,
} from "./toolchain.mjs";

/** @typedef {{ isDone: () => boolean, run: (onStart: import("./child.mjs").OnStart) => Promise<void> }} Step */

/** @type {Step} */
const node = { isDone: nodeIsReady, run: installNode };
/** @type {Step} */
const packages = { isDone: packagesAreInstalled, run: installPackages };

/** @type {Step[][]} */
const installing = [
  [{ isDone: pnpmIsReady, run: installPnpm }],
  ...(pnpmRunsOnThisNode ? [[node, packages]] : [[node], [packages]]),
];

/** @type {Step[][]} */
const building = [[{ isDone: siteIsBuilt, run: buildSite }]];

/** Installs Node, pnpm and all packages if necessary; takes a few milliseconds if everything is installed. */
export async function prepare() {
  requireUsableNode();
  await runMissingSteps(installing);
}

/** Installs everything and builds the site if necessary. */
export async function prepareSite() {
  requireUsableNode();
  await runMissingSteps([...installing, ...building]);
}

/** Builds the site if its sources are newer, with the installed packages. */
export async function rebuildSite() {
  await runMissingSteps(building);
}

/**
 * Runs the steps that are not done: groups one after the other, the steps of a group in parallel. A lock prevents other
 * processes from doing the same at the same time.
 * @param {Step[][]} groups
 */
async function runMissingSteps(groups) {
  if (groups.flat().every((step) => step.isDone())) return;
  const lock = await takeLock(join(root, ".cache", "bootstrap"), () =>
    printProgress("Another start is preparing this folder; waiting for it…"),
  );
  try {
    for (const group of groups) {
      const missing = group.filter((step) => !step.isDone());
      // When one fails, the lock is held until the others have ended, too.
      const ended = await Promise.allSettled(missing.map((step) => step.run(lock.include)));
      for (const step of ended) if (step.status === "rejected") throw step.reason;
    }
  } finally {
    lock.release();
  }
}
