import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../bootstrap/paths.mjs";
import { program } from "./program.mjs";

/** @typedef {import("./schedule.mjs").Result} Result */

const site = join("apps", "site");

/**
 * One thread each, because a second one would build the same types again.
 * @param {Parameters<typeof program>[0]} name
 * @param {string[]} args
 */
const checker = (name, args) => program(name, args, { GOMAXPROCS: "1" });

/** Lints and type-checks everything, then applies the rules for components and pages. @returns {Promise<Result>} */
export async function lint() {
  return together([
    await checker("oxlint", ["."]),
    await checker("oxlint", ["--config", join("tools", "lint", "components.json"), join(site, "src")]),
    await checker("eslint", [".", "--max-warnings=0"]),
  ]);
}

/** @returns {Promise<Result>} */
export async function formatting() {
  return together([await checker("oxfmt", ["--check", "--threads=1", "."])]);
}

/** Checks the types of pages and components, and Svelte's own rules. @returns {Promise<Result>} */
export async function checkSite() {
  const pages = await checker("write-pages", []);
  if (!pages.ok) return together([pages]);
  // Its cache also contains components that were deleted.
  rmSync(join(root, site, ".svelte-check"), { recursive: true, force: true });
  const run = await checker("svelte-check", [
    ...["--workspace", site, "--tsconfig", "./tsconfig.check.json", "--tsgo"],
    ...["--output", "machine", "--fail-on-warnings"],
  ]);
  // A checker that examined too few files counts as failed.
  const checked = countSvelteChecked(run.output);
  const present = countFiles(join(root, site, "src"), ".svelte");
  if (checked >= present && checked > 0) return together([run]);
  return {
    ok: false,
    output: `${run.output}\nsvelte-check looked at ${checked} files; there are ${present}.`,
  };
}

/**
 * @param {readonly { ok: boolean, output: string }[]} runs
 * @returns {Result}
 */
function together(runs) {
  const output = runs.filter(({ ok }) => !ok).map((run) => run.output.trim());
  return { ok: output.length === 0, output: output.join("\n\n") };
}

/**
 * The number of files that `svelte-check --output machine` reports as checked. It succeeds even if it checked none.
 * @param {string} output
 */
export function countSvelteChecked(output) {
  return Number(/\bCOMPLETED (\d+) FILES\b/.exec(output)?.[1] ?? 0);
}

/**
 * Files below a folder with this ending.
 * @param {string} folder
 * @param {string} ending
 * @returns {number}
 */
export function countFiles(folder, ending) {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true }).reduce((total, entry) => {
    if (entry.isDirectory()) return total + countFiles(join(folder, entry.name), ending);
    return total + (entry.name.endsWith(ending) ? 1 : 0);
  }, 0);
}
