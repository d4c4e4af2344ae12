import { existsSync, readFileSync, readdirSync } from "node:fs";
import os from "node:os";
import { dirname, join } from "node:path";
import { collect } from "./child.mjs";
import { installEnvironment } from "./environment.mjs";
import { Failure } from "./main.mjs";
import { modules, root } from "./paths.mjs";
import { printProgress, tail } from "./progress.mjs";
import { hashContents, isStamped, removeStamp, writeStamp } from "./stamp.mjs";
import { fetchAdvice, nodeVersion, pnpmNode, tools } from "./toolchain.mjs";
import { compareVersions } from "./versions.mjs";

const stamp = join(modules, ".stamp");
const workspaceFile = join(root, "pnpm-workspace.yaml");

/**
 * The folders under `packages:` in pnpm-workspace.yaml, all of which have the form `folder/*`.
 * @param {string} yaml
 */
export function workspaceFolders(yaml) {
  const block = /^packages:\n((?: *-.*\n)+)/m.exec(yaml)?.[1] ?? "";
  return [...block.matchAll(/^ *- *["']?([^"'*\n]+)\/\*["']?$/gm)].map((match) => String(match[1]));
}

function installInputs() {
  const folders = workspaceFolders(readFileSync(workspaceFile, "utf8"));
  const members = folders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder)).map((name) => join(root, folder, name))
      : [],
  );
  const manifests = [root, ...members]
    .map((folder) => join(folder, "package.json"))
    .filter((file) => existsSync(file));
  return hashContents([workspaceFile, join(root, "pnpm-lock.yaml"), ...manifests.sort()]);
}

export function packagesAreInstalled() {
  return isStamped(stamp, installInputs());
}

/**
 * Installs exactly the versions of the lockfile.
 * @param {import("./child.mjs").OnStart} onStart
 */
export async function installPackages(onStart) {
  printProgress("Installing packages…");
  const inputs = installInputs();
  removeStamp(stamp);
  // pnpm chooses packages for the Node that may not be installed yet.
  const flags = ["--frozen-lockfile", `--config.node-version=${nodeVersion()}`, "--reporter=append-only"];
  // The processors that this process may use; Node before 18.14 only reports their number.
  const knowsUsable = compareVersions(process.versions.node, "18.14.0") >= 0;
  const cores = knowsUsable ? os.availableParallelism() : os.cpus().length;
  const env = {
    ...installEnvironment(process.env, { ...tools, node: pnpmNode }),
    CI: "true",
    // By default, pnpm leaves one core to its main thread, which mostly waits.
    PNPM_MAX_WORKERS: String(cores),
  };
  const run = await collect(pnpmNode, [tools.pnpm, "install", ...flags], {
    cwd: dirname(workspaceFile),
    env,
    onStart,
  });
  if (run.code !== 0) {
    throw new Failure(
      `${tail(run.output, 30)}\n\nThe packages could not be installed: pnpm ended with code ${run.code}. ${fetchAdvice(run.output)}`,
    );
  }
  writeStamp(stamp, inputs);
}
