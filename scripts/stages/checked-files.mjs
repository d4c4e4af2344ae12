import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * How many files `svelte-check --output machine` says it looked at. It could end well without having looked at any.
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
