import { join } from "node:path";
import { takeLock } from "./lock.mjs";
import { installPackages, packagesAreInstalled } from "./packages.mjs";
import { root } from "./paths.mjs";
import { say } from "./say.mjs";
import { buildSite, siteIsBuilt } from "./site.mjs";
import { installToolchain, toolchainIsReady } from "./toolchain.mjs";

/** @typedef {{ isDone: () => boolean, run: (onStart: import("./child.mjs").OnStart) => Promise<void> }} Step */

/** @type {Step[]} */
const installing = [
  { isDone: toolchainIsReady, run: installToolchain },
  { isDone: packagesAreInstalled, run: installPackages },
];

/** @type {Step} */
const building = { isDone: siteIsBuilt, run: buildSite };

/** Makes Node, pnpm and all packages ready. Costs a few milliseconds when they are. */
export async function prepare() {
  await bring(installing);
}

/** Makes the built site ready, and before it all it needs. */
export async function prepareSite() {
  await bring([...installing, building]);
}

/** Builds the site where its sources are newer, with the packages that are there. */
export async function renewSite() {
  await bring([building]);
}

/**
 * Runs the steps that are not done, each of them in one process at a time.
 * @param {Step[]} steps
 */
async function bring(steps) {
  if (steps.every((step) => step.isDone())) return;
  const lock = await takeLock(join(root, ".cache", "bootstrap"), () =>
    say("Another start is preparing this folder; waiting for it…"),
  );
  try {
    for (const step of steps) if (!step.isDone()) await step.run(lock.include);
  } finally {
    lock.release();
  }
}
