import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collect } from "../bootstrap/child.mjs";
import { Failure } from "../bootstrap/main.mjs";
import { root } from "../bootstrap/paths.mjs";
import { printProgress, tail } from "../bootstrap/progress.mjs";
import { tools } from "../bootstrap/toolchain.mjs";
import { findBrowser, isHeadlessBuild } from "./find.mjs";

const advice =
  "The browser tests need Chromium or Chrome. Install one, or set CHROME_PATH to its program, " +
  "or let Playwright fetch its own: node node_modules/@playwright/test/cli.js install chromium";

const HEADLESS = "chromium-headless-shell";

/**
 * Finds a browser that starts. Where we may (Debian, Ubuntu; as root), installs one if there is none, and the headless
 * build if only one with a window is installed.
 * @returns {Promise<string | undefined>} its program; undefined if Playwright has its own
 */
export async function ensureBrowser() {
  const found = findBrowser();
  const isUsable = found !== undefined && (await starts(found));
  if (process.env.CHROME_PATH && !isUsable)
    throw new Failure(`CHROME_PATH is ${process.env.CHROME_PATH}, which does not start.`);
  if (isUsable && (process.env.CHROME_PATH || isHeadlessBuild(found) || !mayInstall())) return found;
  if (!isUsable && (await playwrightHasOne())) return undefined;
  if (!mayInstall()) throw new Failure(advice);

  try {
    await install(isUsable ? [HEADLESS] : [HEADLESS, "chromium"]);
  } catch (error) {
    // Without a network, the browser with a window is used.
    if (!isUsable) throw error;
  }
  const installed = findBrowser();
  if (installed !== undefined && (await starts(installed))) return installed;
  if (isUsable) return found;
  throw new Failure(`No browser that starts could be installed. ${advice}`);
}

/** Installs the first of these packages that Debian or Ubuntu offers. @param {string[]} packages */
async function install(packages) {
  printProgress("Installing Chromium for the browser tests (once)…");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await aptGet(["update"], env);
  for (const name of packages) {
    const shown = await collect("apt-cache", ["show", name], { env });
    if (shown.code !== 0) continue;
    await aptGet(["install", "-y", "--no-install-recommends", "--no-remove", name], env);
    return;
  }
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function aptGet(args, env) {
  const run = await collect("apt-get", args, { env });
  if (run.code !== 0) throw new Failure(`${tail(run.output, 20)}\n\napt-get ${args[0]} failed. ${advice}`);
}

/** On Ubuntu, the package without its snap installs a program that only prints a message. @param {string} browser */
async function starts(browser) {
  return (await collect(browser, ["--version"], { timeoutMs: 20_000 })).code === 0;
}

async function playwrightHasOne() {
  const script = "process.stdout.write(require('@playwright/test').chromium.executablePath())";
  const run = await collect(tools.node, ["-e", script], { cwd: root });
  return run.code === 0 && existsSync(run.output.trim());
}

function mayInstall() {
  const release = join("/etc", "os-release");
  const isDebian =
    existsSync(release) && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync(release, "utf8"));
  return isDebian && process.getuid?.() === 0;
}
