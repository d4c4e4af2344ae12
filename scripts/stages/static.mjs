import { join } from "node:path";
import { root } from "../bootstrap/paths.mjs";
import { countAstroChecked, countFiles, countSvelteChecked } from "./checked-files.mjs";
import { program } from "./program.mjs";

/** @typedef {import("./schedule.mjs").Result} Result */

const site = join("apps", "site");

/** Everything with its types, then what components and pages need besides. @returns {Promise<Result>} */
export async function lint() {
  return together([
    await program("oxlint", ["."]),
    await program("oxlint", ["--config", join("tools", "lint", "components.json"), join(site, "src")]),
    await program("eslint", [".", "--max-warnings=0"]),
  ]);
}

/** @returns {Promise<Result>} */
export async function formatting() {
  return together([await program("oxfmt", ["--check", "."])]);
}

/** Pages, components and the site's plain modules. @returns {Promise<Result>} */
export async function checkSite() {
  const tsconfig = join(site, "tsconfig.json");
  const astro = await program("astro", [
    "check",
    "--tsconfig",
    tsconfig,
    "--minimumFailingSeverity",
    "warning",
  ]);
  const svelte = await program("svelte-check", [
    ...["--workspace", site, "--tsconfig", "./tsconfig.json"],
    ...["--output", "machine", "--fail-on-warnings"],
  ]);
  const checked = [
    really(
      "astro check",
      astro,
      countAstroChecked(astro.output),
      countFiles(join(root, site, "src"), ".astro"),
    ),
    really(
      "svelte-check",
      svelte,
      countSvelteChecked(svelte.output),
      countFiles(join(root, site, "src"), ".svelte"),
    ),
  ];
  return together(checked);
}

/**
 * Does not believe a checker that looked at fewer files than there are.
 * @param {string} name
 * @param {{ ok: boolean, output: string }} run
 * @param {number} checked
 * @param {number} present
 */
function really(name, run, checked, present) {
  if (checked >= present && checked > 0) return run;
  return { ok: false, output: `${run.output}\n${name} looked at ${checked} files; there are ${present}.` };
}

/**
 * @param {readonly { ok: boolean, output: string }[]} runs
 * @returns {Result}
 */
function together(runs) {
  const output = runs.filter(({ ok }) => !ok).map((run) => run.output.trim());
  return { ok: output.length === 0, output: output.join("\n\n") };
}
