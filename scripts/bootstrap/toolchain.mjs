import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { collect } from "./child.mjs";
import { installEnvironment } from "./environment.mjs";
import { Failure } from "./main.mjs";
import { toolchain } from "./paths.mjs";
import { printProgress, tail } from "./progress.mjs";
import { hashContents, isStamped, removeStamp, writeStamp } from "./stamp.mjs";
import { hasPackagedNode, neededNode, runsPnpm, runsTypeScript } from "./versions.mjs";

/**
 * @typedef {object} Tools
 * @property {string} node a Node that runs our TypeScript sources
 * @property {string} [nodeHeaders] the folder with its C headers, when it is the packaged one
 * @property {string} pnpm pnpm's entry, to be run by `pnpmNode`
 */

const changedOnTheWay =
  "Something between this machine and the package registry may have changed it; nothing of it was run. " +
  "Check the registry and proxy that npm uses, clear the cache with `npm cache clean --force`, and start again.";

/**
 * What to do after npm or pnpm could not fetch something.
 * @param {string} output what it printed
 */
export function fetchAdvice(output) {
  return /\bEINTEGRITY\b|\bERR_PNPM_TARBALL_INTEGRITY\b/.test(output)
    ? `The checksum of a fetched package does not match the published one. ${changedOnTheWay}`
    : "Is the package registry reachable? Start again to retry.";
}

const stamp = join(toolchain, "node_modules", ".stamp");
const packagedName = `node-${process.platform}-${process.arch}`;
const packaged = join(toolchain, "node_modules", packagedName);
const packagedNode = join(packaged, "bin", "node");
const ownNodeIsEnough = runsTypeScript(process.versions.node);

/** @type {Tools} */
export const tools = {
  node: ownNodeIsEnough ? process.execPath : packagedNode,
  ...(ownNodeIsEnough ? {} : { nodeHeaders: packaged }),
  pnpm: join(toolchain, "node_modules", "pnpm", "bin", "pnpm.cjs"),
};

/** True if pnpm runs on the current Node, even if that Node cannot run the TypeScript sources. */
export const pnpmRunsOnThisNode = ownNodeIsEnough || runsPnpm(process.versions.node);

export const pnpmNode = pnpmRunsOnThisNode ? process.execPath : tools.node;

/** The text of the stamp. A toolchain with its own Node is also valid on a machine whose Node is new enough. */
const stampFor = (/** @type {boolean} */ withNode) =>
  `${hashContents([join(toolchain, "package-lock.json")])} ${withNode ? "with" : "without"} node\n`;

export function pnpmIsReady() {
  return (isStamped(stamp, stampFor(true)) || isStamped(stamp, stampFor(false))) && existsSync(tools.pnpm);
}

export function nodeIsReady() {
  return ownNodeIsEnough || (isStamped(stamp, stampFor(true)) && existsSync(tools.node));
}

/** Throws a `Failure` if the current Node is too old and none can be downloaded for this platform. */
export function requireUsableNode() {
  if (!ownNodeIsEnough && !hasPackagedNode(process.platform, process.arch)) throw new Failure(tooOld());
}

/**
 * Installs pnpm.
 * @param {import("./child.mjs").OnStart} onStart
 */
export async function installPnpm(onStart) {
  printProgress("Fetching pnpm (once)…");
  removeStamp(stamp);
  await npm(["ci", "--omit=optional"], onStart);
  writeStamp(stamp, stampFor(false));
}

/**
 * Installs a Node next to pnpm. Does not touch pnpm, which may be running.
 * @param {import("./child.mjs").OnStart} onStart
 */
export async function installNode(onStart) {
  printProgress(`Fetching a newer Node than ${process.version} (once)…`);
  // From here on, the toolchain counts as one without a Node.
  writeStamp(stamp, stampFor(false));
  // npm would treat an incomplete one as installed.
  rmSync(packaged, { recursive: true, force: true });
  await npm(["install", "--no-save", "--include=optional"], onStart);
  // npm succeeds even if an optional package is missing.
  if (!existsSync(packagedNode)) {
    const output = await whyNodeIsMissing(onStart);
    throw new Failure(
      `${tail(output, 30)}\n\nA newer Node than ${process.version} could not be fetched. ${fetchAdvice(output)}`,
    );
  }
  refuseChangedNode();
  const check = await collect(packagedNode, ["--version"]);
  if (check.code !== 0)
    throw new Failure(`${tooOld()}\n(The one that was fetched does not run here: ${check.output.trim()})`);
  writeStamp(stamp, stampFor(true));
}

/** Compares the checksum of the program with the published one before its first run. */
function refuseChangedNode() {
  const manifest = readFileSync(join(toolchain, "package.json"), "utf8");
  const published = new RegExp(`"${packagedName}": "([0-9a-f]{64})"`).exec(manifest)?.[1];
  const found = createHash("sha256").update(readFileSync(packagedNode)).digest("hex");
  if (found === published) return;
  rmSync(packaged, { recursive: true, force: true });
  throw new Failure(
    `The checksum of the fetched Node does not match the published one ` +
      `(SHA-256 ${found}, published ${published ?? "none"}). ${changedOnTheWay}`,
  );
}

/**
 * Fetches Node once more, as a package that is required: npm does not report why an optional one is missing.
 *
 * @param {import("./child.mjs").OnStart} onStart
 * @returns {Promise<string>} what npm printed
 */
async function whyNodeIsMissing(onStart) {
  const place = `node_modules/${packagedName}`;
  const lockfile = readFileSync(join(toolchain, "package-lock.json"), "utf8");
  const integrity = new RegExp(`"${place}": \\{\\s+"version": "[^"]+",\\s+"integrity": "([^"]+)"`).exec(
    lockfile,
  )?.[1];
  const version = packagedNodeVersion();
  const wanted = { dependencies: { [packagedName]: version } };
  const folder = mkdtempSync(join(tmpdir(), "metahuman-node-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, ...wanted }));
    const lock = { lockfileVersion: 3, packages: { "": wanted, [place]: { version, integrity } } };
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    return (await collectNpm(["ci"], folder, onStart)).output;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The version of the Node that will run what is installed. */
export function nodeVersion() {
  return ownNodeIsEnough ? process.versions.node : packagedNodeVersion();
}

function packagedNodeVersion() {
  const manifest = readFileSync(join(toolchain, "package.json"), "utf8");
  return String(new RegExp(`"${packagedName}": "(.+)"`).exec(manifest)?.[1]);
}

function tooOld() {
  return (
    `MetaHuman OS needs ${neededNode}; this is ${process.version} on ${process.platform} ${process.arch}. ` +
    "Install a current one from https://nodejs.org and start again."
  );
}

/**
 * Runs npm in the toolchain's folder, on this Node. The Node that it installs is used afterwards.
 *
 * @param {string[]} args
 * @param {import("./child.mjs").OnStart} onStart
 */
async function npm(args, onStart) {
  const run = await collectNpm(args, toolchain, onStart);
  if (run.code === 0) return;
  throw new Failure(
    `${tail(run.output, 30)}\n\nThe toolchain could not be installed: npm ended with code ${run.code}. ${fetchAdvice(run.output)}`,
  );
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @param {import("./child.mjs").OnStart} onStart
 */
function collectNpm(args, cwd, onStart) {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const [program, ...entry] = findNpm();
  const env = installEnvironment(process.env, { node: process.execPath });
  return collect(program, [...entry, ...args, ...flags], { cwd, env, onStart });
}

/**
 * The npm that started this process, else the one next to this Node, else the one in PATH.
 * @returns {[program: string, ...args: string[]]}
 */
function findNpm() {
  const bin = dirname(process.execPath);
  const candidates = ["node_modules/npm/bin/npm-cli.js", "../lib/node_modules/npm/bin/npm-cli.js"].map(
    (path) => join(bin, path),
  );
  const entry = [process.env.npm_execpath ?? "", ...candidates].find(
    (path) => /npm-cli\.c?js$/.test(path) && existsSync(path),
  );
  return entry === undefined ? ["npm"] : [process.execPath, entry];
}
