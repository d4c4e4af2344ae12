import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collect } from "../bootstrap/child.mjs";
import { Failure } from "../bootstrap/main.mjs";
import { root } from "../bootstrap/paths.mjs";
import { printProgress, tail } from "../bootstrap/progress.mjs";
import { tools } from "../bootstrap/toolchain.mjs";
import { findBrowser } from "./find.mjs";

const advice =
  "The browser tests need Chromium or Chrome. Install one, or set CHROME_PATH to its program, " +
  "or let Playwright fetch its own: node node_modules/@playwright/test/cli.js install chromium";

/**
 * Finds a browser that starts, or installs one where we may (Debian, Ubuntu; as root).
 * @returns {Promise<string | undefined>} its program; undefined if Playwright has its own
 */
export async function ensureBrowser() {
  const found = findBrowser();
  if (found !== undefined && (await starts(found))) return found;
  if (process.env.CHROME_PATH)
    throw new Failure(`CHROME_PATH is ${process.env.CHROME_PATH}, which does not start.`);
  if (await playwrightHasOne()) return undefined;
  if (!mayInstall()) throw new Failure(advice);

  printProgress("Installing Chromium for the browser tests (once)…");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await aptGet(["update"], env);
  // Debian's headless package has no window and needs no desktop libraries.
  const shell = await collect("apt-cache", ["show", "chromium-headless-shell"], { env });
  const name = shell.code === 0 ? "chromium-headless-shell" : "chromium";
  await aptGet(["install", "-y", "--no-install-recommends", name], env);
  const installed = findBrowser();
  if (installed !== undefined && (await starts(installed))) return installed;
  throw new Failure(`The browser of the package ${name} does not start. ${advice}`);
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
