import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { collect } from "./child.mjs";
import { installEnvironment } from "./environment.mjs";
import { Failure } from "./failure.mjs";
import { toolchain } from "./paths.mjs";
import { say, tail } from "./say.mjs";
import { hashContents, isStamped, removeStamp, writeStamp } from "./stamp.mjs";
import { hasPackagedNode, neededNode, runsTypeScript } from "./versions.mjs";

/**
 * @typedef {object} Tools
 * @property {string} node a Node that runs our TypeScript sources
 * @property {string} [nodeHeaders] the folder with its C headers, when it is the packaged one
 * @property {string} pnpm pnpm's entry, to be run by that Node
 */

const stamp = join(toolchain, "node_modules", ".stamp");
const packaged = join(toolchain, "node_modules", `node-${process.platform}-${process.arch}`);
const ownNodeIsEnough = runsTypeScript(process.versions.node);

/** @type {Tools} */
export const tools = {
  node: ownNodeIsEnough ? process.execPath : join(packaged, "bin", "node"),
  ...(ownNodeIsEnough ? {} : { nodeHeaders: packaged }),
  pnpm: join(toolchain, "node_modules", "pnpm", "bin", "pnpm.cjs"),
};

/** The stamp's text: a toolchain with a Node of its own also serves a machine whose Node is new enough. */
const stampFor = (/** @type {boolean} */ withNode) =>
  `${hashContents([join(toolchain, "package-lock.json")])} ${withNode ? "with" : "without"} node\n`;

export function toolchainIsReady() {
  const stamped = isStamped(stamp, stampFor(true)) || (ownNodeIsEnough && isStamped(stamp, stampFor(false)));
  return stamped && existsSync(tools.pnpm) && existsSync(tools.node);
}

/**
 * Installs pnpm, and a Node where the running one is too old.
 * @param {import("./child.mjs").OnStart} onStart
 */
export async function installToolchain(onStart) {
  if (!ownNodeIsEnough && !hasPackagedNode(process.platform, process.arch)) throw new Failure(tooOld());
  say(
    ownNodeIsEnough
      ? "Fetching pnpm (once)…"
      : `Fetching pnpm and a newer Node than ${process.version} (once)…`,
  );
  removeStamp(stamp);
  const optional = ownNodeIsEnough ? "--omit=optional" : "--include=optional";
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const [program, ...args] = npm();
  // npm runs on the Node that is there; the one it fetches replaces it afterwards.
  const env = installEnvironment(process.env, { node: process.execPath });
  const run = await collect(program, [...args, "ci", optional, ...flags], { cwd: toolchain, env, onStart });
  if (run.code !== 0) {
    throw new Failure(
      `${tail(run.output, 30)}\n\nThe toolchain could not be installed: npm ended with code ${run.code}. ` +
        "Is the package registry reachable? Start again to retry.",
    );
  }
  const check = await collect(tools.node, ["--version"]);
  if (check.code !== 0)
    throw new Failure(`${tooOld()}\n(The one that was fetched does not run here: ${check.output.trim()})`);
  writeStamp(stamp, stampFor(!ownNodeIsEnough));
}

function tooOld() {
  return (
    `MetaHuman OS needs ${neededNode}; this is ${process.version} on ${process.platform} ${process.arch}. ` +
    "Install a current one from https://nodejs.org and start again."
  );
}

/**
 * npm as it was used to start us, else the one beside this Node, else the one that PATH finds.
 * @returns {[program: string, ...args: string[]]}
 */
function npm() {
  const bin = dirname(process.execPath);
  const beside = ["node_modules/npm/bin/npm-cli.js", "../lib/node_modules/npm/bin/npm-cli.js"].map((path) =>
    join(bin, path),
  );
  const entry = [process.env.npm_execpath ?? "", ...beside].find(
    (path) => /npm-cli\.c?js$/.test(path) && existsSync(path),
  );
  return entry === undefined ? ["npm"] : [process.execPath, entry];
}
