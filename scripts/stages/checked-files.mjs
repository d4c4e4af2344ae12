import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

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
